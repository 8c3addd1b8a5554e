import { join } from 'node:path';
import { constants } from 'node:perf_hooks';
import t from 'tap';
import { createGcPairs } from '../../../packages/engine/container/gc-pairs.js';
import { engineGateway } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { linesOf, op, stream } from '../../helpers/local-cluster.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// Garbage collections of containers that are busy: what is told of them is what happened, when it happened.

const operators = [new URL('../../fixtures/local-operators.js', import.meta.url)];
const collectors: readonly unknown[] = [
  constants.NODE_PERFORMANCE_GC_MINOR,
  constants.NODE_PERFORMANCE_GC_MAJOR,
];

/** What the runtime itself said in the container. */
const saidBy = (file: string) =>
  linesOf(file).flatMap(({ at, millis, detail }) =>
    typeof detail === 'object' && detail && 'kind' in detail && collectors.includes(detail.kind)
      ? [{ at: Number(at), millis: Number(millis) }]
      : [],
  );

t.test('collections under load have their own times, in order', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators });
  const client = newClient(as('ada', 'admin'));
  const file = join(testFolder(t), 'collections');
  const appid = await gateway.launch({
    user: 'ada',
    name: 'churns',
    application: {
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 100, HEARTBEAT_INTERVAL_MILLIS: 100 },
      operators: [
        op('source', 'Sequence', { total: -1, perSecond: 5 }),
        op('churn', 'Churn', { millis: 150, file }),
      ],
      streams: [stream('source.out -> churn.in')],
    },
  });
  const params = { appid, operatorName: 'churn', logName: 'gc.log' };
  const { lines } = await until(
    () => client.listOperatorCollections({ params }),
    (answer) => answer.lines.length > 60,
  );
  const starts = lines.map(({ startTime }) => startTime);
  t.strictSame(
    starts,
    [...starts].sort((a, b) => a - b),
    'in the order of time',
  );
  const said = saidBy(file);
  // The operator hears of those that came after it was set up.
  const told = lines.filter(({ startTime }) => startTime > (said[0]?.at ?? Infinity) - 1.5);
  t.ok(told.length > 40);
  // Stamps in the log are cut to milliseconds.
  const wrong = told.filter(
    ({ startTime, duration }, index) =>
      Math.abs(startTime - (said[index]?.at ?? Infinity)) > 2 ||
      Math.abs(duration * 1000 - (said[index]?.millis ?? Infinity)) > 0.01,
  );
  t.strictSame(wrong.slice(0, 3), [], 'each is the one that the runtime told of');
  const [first] = told;
  t.ok((first?.heapCapacity ?? 0) < 1024 * 1024, 'KB: less than a GB');
  t.ok((first?.occupiedHeapMemoryBefore ?? 0) > 1024, 'and more than a MB');
});

t.test('what two watchers say is brought together', async (t) => {
  const pairs = createGcPairs();
  const pause = (at: number, collector: 'Scavenge' | 'MarkSweepCompact' = 'Scavenge') =>
    pairs.paused({ collector, at, millis: 1 });
  const profile = (from: number, to: number, ...before: number[]) =>
    pairs.profiled({
      from,
      to,
      collections: before.map((size) => ({ collector: 'Scavenge', before: size, after: 1, capacity: 9 })),
    });
  const taken = () => pairs.take().map(([{ at }, { before }]) => [at, before]);
  for (const at of [5, 11]) pause(at);
  profile(10, 20, 101, 102, 103);
  t.strictSame(taken(), [], 'two are not told of yet');
  for (const at of [12, 19]) pause(at);
  t.strictSame(
    taken(),
    [
      [11, 101],
      [12, 102],
      [19, 103],
    ],
    'what came before the profiler is passed over',
  );
  profile(18, 30, 103, 104);
  pause(25);
  t.strictSame(taken(), [[25, 104]], 'what both profilers saw counts once');
  profile(29, 40, 105, 106);
  pause(35);
  t.strictSame(taken(), []);
  pause(45, 'MarkSweepCompact');
  t.strictSame(taken(), [[35, 105]], 'what the observer never tells of holds nothing up');
  profile(40, 50, 107);
  t.strictSame(taken(), [], 'nor is one taken for the other kind');
});
