import t from 'tap';
import { issuesOf, type Situation } from '../../../../lib/features/applications/issues.js';
import {
  createProgressBook,
  observe,
  type Progress,
} from '../../../../lib/features/applications/progress.js';
import type { AppStats } from '../../../../lib/model/applications.js';
import type { Container } from '../../../../lib/model/containers.js';
import type { PhysOperator } from '../../../../lib/model/physical-plan.js';
import { statsSample as stats } from '../../../helpers/stats-sample.js';

const now = 1_700_000_000_000;
const seconds = 1000;

const operator = (id: string, more: Partial<PhysOperator> = {}): PhysOperator => ({
  id,
  name: `operator${id}`,
  logicalName: `operator${id}`,
  className: 'X',
  container: 'c1',
  host: 'h',
  status: 'ACTIVE',
  cpuPercentageMA: 0,
  currentWindowId: '7',
  recoveryWindowId: '1',
  failureCount: 0,
  lastHeartbeat: now,
  latencyMA: 0,
  recordingStartTime: -1,
  totalTuplesEmitted: 0,
  totalTuplesProcessed: 0,
  tuplesEmittedPSMA: 0,
  tuplesProcessedPSMA: 0,
  ports: [],
  isUnifier: false,
  unifierClass: null,
  ...more,
});

/** In a window that should have been over so many seconds ago. */
const at = (ago: number, more: Partial<PhysOperator> = {}) =>
  operator('1', { currentWindowId: String(BigInt(now / 1000 - ago) << 32n), ...more });

const ended = (id: string, finishedTime: number, more: Partial<Container> = {}): Container => ({
  id,
  host: 'h',
  state: 'KILLED',
  jvmName: '',
  lastHeartbeat: -1,
  numOperators: 0,
  operators: {},
  memoryMBAllocated: 128,
  memoryMBFree: 0,
  gcCollectionTime: 0,
  gcCollectionCount: 0,
  containerLogsUrl: '',
  rawContainerLogsUrl: '',
  startedTime: 1,
  finishedTime,
  containerType: 'STREAMING',
  ...more,
});

const running = { state: 'RUNNING', finalStatus: 'UNDEFINED', startedTime: now - 60 * seconds } as const;
const connected = { gatewayConnected: true, gatewayAddress: 'host:9090', attributes: {}, stats: stats() };
const since = (age: number, ...ids: string[]): Progress => ({
  windows: new Map(ids.map((id) => [id, { windowId: '7', since: now - age }])),
});
const seen = (more: Partial<NonNullable<Situation['seen']>> = {}) => ({
  info: connected,
  operators: [operator('1'), operator('2')],
  containers: [],
  progress: since(0, '1', '2'),
  ...more,
});
const minutesAgo = (minutes: number) => now - minutes * 60 * seconds;

t.test('what is an issue, and what is not', async (t) => {
  const table: [
    name: string,
    situation: Omit<Situation, 'now'>,
    issues: [key: string, severity: string][],
  ][] = [
    ['all is well', { report: running, seen: seen() }, []],
    ['no master answers', { report: running }, [['MASTER_NOT_REACHABLE', 'error']]],
    ['not started yet', { report: { ...running, state: 'ACCEPTED', startedTime: now - 29 * seconds } }, []],
    [
      'waits for its first container',
      { report: { ...running, state: 'ACCEPTED', startedTime: now - 30 * seconds } },
      [['MEMORY_NOT_ALLOCATED', 'warning']],
    ],
    ['ended', { report: { ...running, state: 'FAILED', finalStatus: 'FAILED' } }, []],
    ['one container died', { report: running, seen: seen({ containers: [ended('a', minutesAgo(1))] }) }, []],
    [
      'two died',
      { report: running, seen: seen({ containers: [ended('a', minutesAgo(1)), ended('b', minutesAgo(9))] }) },
      [['CONTAINER_FAILURES', 'warning']],
    ],
    [
      'two died, one long ago',
      {
        report: running,
        seen: seen({ containers: [ended('a', minutesAgo(1)), ended('b', minutesAgo(11))] }),
      },
      [],
    ],
    [
      'masters of earlier attempts do not count',
      {
        report: running,
        seen: seen({
          containers: [
            ended('a', minutesAgo(1), { containerType: 'APP_MASTER' }),
            ended('b', minutesAgo(1), { containerType: 'APP_MASTER' }),
          ],
        }),
      },
      [],
    ],
    [
      'many died',
      { report: running, seen: seen({ containers: ['a', 'b', 'c'].map((id) => ended(id, minutesAgo(2))) }) },
      [['CONTAINER_FAILURES', 'error']],
    ],
    ['slow, but not blocked', { report: running, seen: seen({ progress: since(9 * seconds, '1') }) }, []],
    [
      'blocked',
      { report: running, seen: seen({ progress: since(10 * seconds, '1') }) },
      [['OPERATOR_BLOCKED', 'error']],
    ],
    [
      'behind the clock',
      { report: running, seen: seen({ operators: [at(12)] }) },
      [['OPERATOR_LAGGING', 'warning']],
    ],
    ['a little behind', { report: running, seen: seen({ operators: [at(5)] }) }, []],
    [
      'what has ended is not behind',
      { report: running, seen: seen({ operators: [at(99, { status: 'INACTIVE' })] }) },
      [],
    ],
    [
      'behind because it is blocked',
      { report: running, seen: seen({ operators: [at(12)], progress: since(10 * seconds, '1') }) },
      [['OPERATOR_BLOCKED', 'error']],
    ],
    [
      'long windows take longer',
      {
        report: running,
        seen: seen({
          info: { ...connected, attributes: { STREAMING_WINDOW_SIZE_MILLIS: 5000 } },
          progress: since(60 * seconds, '1'),
        }),
      },
      [],
    ],
    [
      'short of containers for a moment',
      { report: running, seen: seen({ progress: { windows: new Map(), shortSince: now - 9 * seconds } }) },
      [],
    ],
    [
      'short of containers',
      { report: running, seen: seen({ progress: { windows: new Map(), shortSince: now - 10 * seconds } }) },
      [['MEMORY_NOT_ALLOCATED', 'warning']],
    ],
    [
      'gateway not connected',
      { report: running, seen: seen({ info: { ...connected, gatewayConnected: false } }) },
      [['GATEWAY_NOT_CONNECTED', 'warning']],
    ],
  ];
  for (const [name, situation, expected] of table) {
    const found = issuesOf({ now, ...situation });
    t.strictSame(
      found.map(({ key, severity }) => [key, severity]),
      expected,
      name,
    );
  }
});

t.test('the operator furthest behind is named first', async (t) => {
  const operators = [operator('1', { currentWindowId: '10' }), operator('2', { currentWindowId: '9' })];
  const windows = new Map([
    ['1', { windowId: '10', since: now - 20 * seconds }],
    ['2', { windowId: '9', since: now - 25 * seconds }],
  ]);
  const progress = { windows };
  const [issue] = issuesOf({ now, report: running, seen: seen({ operators, progress }) });
  t.equal(issue?.description, 'No progress for 25 s, window 9: operator2 (2), operator1 (1)');
});

t.test('progress is what moved from one look to the next', async (t) => {
  const look = (before: Progress | undefined, at: number, windowId: string, more: Partial<AppStats> = {}) =>
    observe(before, at, {
      stats: stats(more),
      operators: [operator('1', { currentWindowId: windowId }), operator('2', { status: 'INACTIVE' })],
    });
  const first = look(undefined, 100, '7', { allocatedContainers: 1 });
  t.strictSame([...first.windows], [['1', { windowId: '7', since: 100 }]], 'only what runs');
  t.equal(first.shortSince, 100);
  const second = look(first, 200, '7', { allocatedContainers: 1 });
  t.strictSame(second.windows.get('1'), { windowId: '7', since: 100 });
  t.equal(second.shortSince, 100);
  const told = observe(undefined, 500, {
    stats: stats(),
    operators: [operator('1', { currentWindowSince: 50 })],
  });
  t.equal(told.windows.get('1')?.since, 50, 'where the engine tells since when, also at the first look');
  t.equal(look(undefined, 100, '0').windows.get('1')?.since, 100, 'before the first window it can hang too');
  const { currentWindowId: _, ...withoutWindows } = operator('1');
  t.equal(
    observe(undefined, 100, { stats: stats(), operators: [withoutWindows] }).windows.size,
    0,
    'an engine without windows tells of no progress in them',
  );
  const third = look(second, 300, '8');
  t.strictSame(third.windows.get('1'), { windowId: '8', since: 300 });
  t.equal(third.shortSince, undefined);
});

t.test('the book forgets the application that was looked at longest ago', async (t) => {
  const book = createProgressBook(2);
  const at = (appId: string, time: number) =>
    book.look(appId, time, { stats: stats(), operators: [operator('1')] }).windows.get('1')?.since;
  at('a', 1);
  at('b', 2);
  t.equal(at('a', 3), 1, 'known');
  at('c', 4);
  t.equal(at('a', 5), 1, 'still known');
  t.equal(at('b', 6), 6, 'forgotten');
});
