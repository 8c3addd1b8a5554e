import type { Client } from '../../../lib/client.js';
import { packageOf } from '../../helpers/packages.js';

const filter = 'headgate.transform.Filter';
const end = (operatorName: string, portName: string) => ({ operatorName, portName });

/** A name with what names may hold: markup, another direction of writing. */
export const oddName = '<b>סינון</b> & "more"';

/**
 * 60 operators: a source, five lines of eleven filters each, the last of each line partitioned, and a counter; then one that nobody
 * reads. All but the partitions in few containers, since each container is a process.
 */
export function wideApplication() {
  const lines = [0, 1, 2, 3, 4].map((line) =>
    Array.from({ length: 11 }, (_, step) => `line ${line} step ${step}`),
  );
  lines[0]?.splice(5, 1, oddName);
  const filters = lines
    .flat()
    .map((name) => ({ name, class: filter, properties: { condition: 'value >= 0' } }));
  const streams = lines.flatMap((line) =>
    line.slice(1).map((name, index) => ({
      name: `to ${name}`,
      locality: 'THREAD_LOCAL',
      source: end(line[index] ?? '', 'output'),
      sinks: [end(name, 'input')],
    })),
  );
  return {
    operators: [
      {
        name: 'source',
        class: 'headgate.io.RandomGenerator',
        properties: { kind: 'records', tuplesPerSecond: 50 },
      },
      ...filters,
      {
        name: 'count',
        class: 'headgate.aggregate.Count',
        attributes: { PARTITIONER: 4 },
        properties: { key: 'word' },
      },
      { name: 'tail', class: filter, properties: { condition: 'true' } },
      { name: 'other', class: filter, properties: { condition: 'true' } },
      { name: 'last', class: filter, properties: { condition: 'false' } },
    ],
    streams: [
      {
        name: 'records',
        locality: 'CONTAINER_LOCAL',
        source: end('source', 'output'),
        sinks: lines.map((line) => end(line[0] ?? '', 'input')),
      },
      ...streams,
      { name: 'to count', source: end(lines[0]?.at(-1) ?? '', 'output'), sinks: [end('count', 'input')] },
      {
        name: 'counts',
        locality: 'CONTAINER_LOCAL',
        source: end('count', 'output'),
        sinks: [end('tail', 'input'), end('other', 'input')],
      },
      {
        name: 'to last',
        locality: 'THREAD_LOCAL',
        source: end('tail', 'output'),
        sinks: [end('last', 'input')],
      },
    ],
  };
}

/** Launches it and tells its id. */
export async function launchWide(client: Client): Promise<string> {
  const files = { 'app/wide.json': JSON.stringify(wideApplication()) };
  await client.uploadPackage({ body: packageOf({ name: 'graphs' }, files) });
  const { appId } = await client.launchPackageApplication({
    params: { owner: 'admin', name: 'graphs', version: '1.0.0', appName: 'wide' },
  });
  return appId;
}
