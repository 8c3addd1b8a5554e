import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenCluster, op, openCluster, stream } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// A host that runs an application, one of whose operators does not return, and waits to be killed.

const cluster: OpenCluster = await openCluster({ teardown: () => {} }, { directory: process.argv[2] ?? '' });
const id = await cluster.launch(
  {
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 50, CHECKPOINT_WINDOW_COUNT: 4 },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 1000 }),
      op('stuck', 'Trouble', { at: 200, how: 'loop', once: `${process.argv[2]}/stuck` }),
    ],
    streams: [stream('source.out -> stuck.in')],
  },
  { name: 'left behind' },
);
await cluster.reached(id, 'RUNNING');
const master = await cluster.driver.master(id);
const containers = (await master.containers()).filter(({ containerType }) => containerType === 'STREAMING');
await eventually(() => (existsSync(`${process.argv[2]}/stuck`) ? true : undefined));
// What it knows of its containers is on the disk: what a kill in the middle of that leaves is another question.
const record = join(process.argv[2] ?? '', 'apps', id, 'application.json');
await eventually(() => (readFileSync(record, 'utf8').includes('"STREAMING"') ? true : undefined));
await master.events?.read({ offset: 0, limit: 1 });
process.send?.({ id, pids: containers.map(({ jvmName }) => Number.parseInt(jvmName, 10)) });
