import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { linesOf, openCluster } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// Operators that remember keys, in real containers: partitions, a killed container, the end of the input.

const words = ['gate', 'head', 'weir', 'lock', 'sluice'];
const source = (name: string, total: number) => ({
  name,
  class: 'headgate.io.RandomGenerator',
  properties: { kind: 'records', words, seed: name, total, tuplesPerSecond: 1_000 },
});
const output = (name: string) => ({
  name,
  class: 'headgate.io.FileOutput',
  properties: { directory: name, format: 'json' },
});
const end = (place: string) => {
  const [operatorName = '', portName = ''] = place.split('.');
  return { operatorName, portName };
};
const stream = (from: string, ...to: string[]) => ({
  name: from.replace('.', ' '),
  source: end(from),
  sinks: to.map(end),
});

t.test('a left join and a dedup in partitions lose and double nothing when a container dies', async (t) => {
  const { driver, launch, reached, directory } = await openCluster(t);
  const id = await launch({
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, CHECKPOINT_WINDOW_COUNT: 5 },
    operators: [
      source('orders', 3_000),
      source('payments', 1_500),
      {
        name: 'join',
        class: 'headgate.transform.Join',
        properties: { key: 'id', type: 'left', windows: 3_600 },
        attributes: { PARTITIONER: 3 },
      },
      {
        name: 'dedup',
        class: 'headgate.transform.Dedup',
        properties: { key: 'word', windows: 100_000 },
        attributes: { PARTITIONER: 2 },
      },
      output('pairs'),
      output('words'),
    ],
    streams: [
      stream('orders.output', 'join.left', 'dedup.input'),
      stream('payments.output', 'join.right'),
      stream('join.output', 'pairs.input'),
      stream('dedup.output', 'words.input'),
    ],
  });
  const master = await driver.master(id);
  const partitions = async (name: string) =>
    (await master.physicalPlan()).operators.filter((operator) => operator.name === name);
  await eventually(async () => {
    const [one] = await partitions('join');
    return one && (one.totalTuplesProcessed ?? 0) > 0 && Number(one.recoveryWindowId) > 0 ? one : undefined;
  });
  for (const name of ['join', 'dedup']) {
    const [one] = await partitions(name);
    await master.containerControl?.kill(one?.container ?? '');
  }
  await reached(id, 'FINISHED');

  const lines = (name: string) => {
    const folder = join(directory, 'files', name);
    return readdirSync(folder).flatMap((file) => linesOf(join(folder, file)));
  };
  const pairs = lines('pairs').map(({ key, left, right }) => [Number(key), left !== null, right !== null]);
  t.strictSame(
    pairs.sort(([a], [b]) => Number(a) - Number(b)),
    Array.from({ length: 3_000 }, (_, index) => [index + 1, true, index < 1_500]),
    'every order once, with its payment if there is one',
  );
  t.strictSame(
    lines('words')
      .map(({ word }) => word)
      .sort(),
    [...words].sort(),
    'every word once',
  );
  const counts = await partitions('join');
  t.equal(counts.length, 3);
  t.equal(
    counts.filter(({ totalTuplesProcessed }) => (totalTuplesProcessed ?? 0) > 500).length,
    3,
    'each partition had its part',
  );
});
