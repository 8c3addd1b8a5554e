import t from 'tap';
import { collectionOf } from '../../../packages/history/gc-log/index.js';

const at = Date.parse('2026-11-21T10:00:00.123Z');
const [K, M] = [1024, 1024 ** 2];

t.test('lines that tell of a collection', async (t) => {
  const table: [
    line: string,
    ago: number,
    before: number,
    after: number,
    capacity: number,
    millis: number,
  ][] = [
    // Unified logging: the stamp is the end of the pause.
    [
      '[2026-11-21T10:00:00.123+0000][12.345s][info][gc] GC(7) Pause Young (Scavenge) 24M->4M(256M) 3.000ms',
      3,
      24 * M,
      4 * M,
      256 * M,
      3,
    ],
    [
      '[2026-11-21T11:00:00.123+0100][info][gc     ] GC(0) Pause Full (System.gc()) 1G->512M(2G) 120.5ms',
      120.5,
      1024 * M,
      512 * M,
      2048 * M,
      120.5,
    ],
    // JVM 8, with date stamps: the stamp is the beginning.
    [
      '2026-11-21T10:00:00.123+0000: 0.512: [GC (Allocation Failure)  65536K->12000K(251392K), 0.0101230 secs]',
      0,
      65536 * K,
      12000 * K,
      251392 * K,
      10.123,
    ],
    [
      '2026-11-21T10:00:00.123+0000: 0.500: [GC (Allocation Failure) [PSYoungGen: 65536K->10720K(76288K)] 65536K->12000K(251392K), 0.0100000 secs] [Times: user=0.02 sys=0.00, real=0.01 secs] ',
      0,
      65536 * K,
      12000 * K,
      251392 * K,
      10,
    ],
    [
      '2026-11-21T10:00:00.123+0000: 1.250: [GC (Allocation Failure) 2026-11-21T10:00:00.123+0000: 1.250: [ParNew: 78656K->8704K(78656K), 0.0200000 secs] 100000K->50000K(200000K), 0.0250000 secs]',
      0,
      100000 * K,
      50000 * K,
      200000 * K,
      25,
    ],
    [
      '2026-11-21T10:00:00.123+0000: 9.000: [Full GC (Ergonomics) [PSYoungGen: 10K->0K(76288K)] [ParOldGen: 90K->40K(175104K)] 100K->40K(251392K), [Metaspace: 3000K->3000K(1056768K)], 0.5000000 secs]',
      0,
      100 * K,
      40 * K,
      251392 * K,
      500,
    ],
  ];
  for (const [line, ago, before, after, capacity, millis] of table) {
    t.match(
      collectionOf(line),
      {
        type: 'GC',
        startTime: Math.round(at - ago),
        occupiedHeapMemoryBefore: before / K,
        occupiedHeapMemoryAfter: after / K,
        heapCapacity: capacity / K,
        heapReductionPercentage: Math.round((1 - after / before) * 10_000) / 100,
        duration: millis / 1000,
      },
      line,
    );
  }
});

t.test('all others', async (t) => {
  for (const line of [
    '',
    '[2026-11-21T10:00:00.123+0000][0.1s][info][gc,init] Heap Max Capacity: 128M (limit 130M)',
    '[2026-11-21T10:00:00.123+0000][0.1s][info][gc] GC(8) Concurrent Mark 3.000ms',
    '[12.345s][info][gc] GC(7) Pause Young (Scavenge) 24M->4M(256M) 3.000ms',
    '[2026-99-21T10:00:00.123+0000][12.345s][info][gc] GC(7) Pause Young (x) 24M->4M(256M) 3.000ms',
    '0.512: [GC (Allocation Failure)  65536K->12000K(251392K), 0.0101230 secs]',
    '2026-11-21T10:00:00.123+0000: 0.512: [GC (Allocation Failure) [PSYoungGen: 1K->1K(2K)',
    '2026-11-21T10:00:00.123+0000: 0.512: Total time for which application threads were stopped: 0.1 seconds',
  ])
    t.equal(collectionOf(line), undefined, line);
});

t.test('what somebody else wrote takes no longer for it', async (t) => {
  const opening = '2026-11-21T10:00:00.123+0000: 0.512: [GC ';
  for (const text of ['['.repeat(4000), '1'.repeat(4000), '1K->'.repeat(1000), '1K->1K(1K)'.repeat(400)])
    t.equal(collectionOf(opening + text), undefined);
  t.equal(collectionOf(`${opening}${'x'.repeat(100_000)} 1K->1K(1K), 1 secs]`), undefined, 'too long');
});
