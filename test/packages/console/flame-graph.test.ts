import t from 'tap';
import {
  flameLayout,
  walked,
} from '../../../packages/console/src/features/operators/profiling/flame-layout.js';
import {
  type Frame,
  finder,
  foundIn,
  framesOn,
  hottest,
  packageOf,
  shortFrame,
} from '../../../packages/console/src/features/operators/profiling/frames.js';
import { sharesOf } from '../../../packages/console/src/features/operators/profiling/shares.js';
import { readFlameSearch } from '../../../packages/console/src/features/operators/search.js';

const frame = (name: string, samples: number, ...children: Frame[]): Frame => ({ name, samples, children });

const root = frame(
  'root',
  100,
  frame('run', 90, frame('map', 60, frame('parse', 45), frame('emit', 15)), frame('wait', 30)),
  frame('gc', 10),
);

const drawn = (path: readonly string[], of = root) =>
  flameLayout(of, path).boxes.map(({ frame: { name }, row, from, width }) =>
    [name, row, Number(from.toFixed(3)), Number(width.toFixed(3))].join(' '),
  );

t.test('each frame is as wide as its part of the samples, below what called it', async (t) => {
  t.strictSame(drawn([]), [
    'root 0 0 1',
    'run 1 0 0.9',
    'gc 1 0.9 0.1',
    'map 2 0 0.6',
    'wait 2 0.6 0.3',
    'parse 3 0 0.45',
    'emit 3 0.45 0.15',
  ]);
  t.equal(flameLayout(root, []).rows, 4);
});

t.test('what is looked at is the whole width, and what it was called from stays above it', async (t) => {
  t.strictSame(drawn(['run', 'map']), [
    'root 0 0 1',
    'run 1 0 1',
    'map 2 0 1',
    'parse 3 0 0.75',
    'emit 3 0.75 0.25',
  ]);
  t.strictSame(
    flameLayout(root, ['run', 'map']).boxes.map(({ isAbove }) => isAbove),
    [true, true, false, false, false],
  );
  t.strictSame(drawn(['run', 'gone', 'parse']), drawn(['run']), 'new samples may lack it');
  t.strictSame(
    framesOn(root, ['run', 'gone']).map(({ name }) => name),
    ['root', 'run'],
  );
});

t.test('places and not names tell frames apart', async (t) => {
  const twice = frame('root', 10, frame('a', 6, frame('x', 6)), frame('a', 4, frame('x', 4)));
  t.strictSame(
    flameLayout(twice, []).boxes.map(({ key }) => key),
    ['', '0', '1', '0.0', '1.0'],
  );
});

t.test('what is too narrow is counted and not drawn; nothing sampled is one empty box', async (t) => {
  const many = frame(
    'root',
    10_000,
    frame('wide', 9_990),
    ...Array.from({ length: 10 }, () => frame('thin', 1)),
  );
  const { boxes, tooNarrow } = flameLayout(many, []);
  t.strictSame([boxes.length, tooNarrow], [2, 10]);
  t.strictSame(drawn([], frame('root', 0)), ['root 0 0 1']);
  t.strictSame(drawn([], frame('root', 0, frame('a', 0))), ['root 0 0 1']);
});

t.test('arrows lead to what called, to what was called, and to neighbours', async (t) => {
  const { boxes } = flameLayout(root, []);
  const table = [
    ['', 'ArrowDown', '0'],
    ['', 'ArrowUp', undefined],
    ['0', 'ArrowRight', '1'],
    ['1', 'ArrowRight', undefined],
    ['1', 'ArrowLeft', '0'],
    ['0', 'ArrowLeft', undefined],
    ['0.0', 'ArrowRight', '0.1'],
    ['0.0', 'ArrowDown', '0.0.0'],
    ['0.0.1', 'ArrowUp', '0.0'],
    ['0.1', 'ArrowDown', undefined],
    ['1', 'ArrowUp', ''],
    ['0.0.1', 'Home', ''],
    ['0.0.1', 'x', undefined],
    ['9', 'ArrowUp', undefined],
  ] as const;
  for (const [from, key, to] of table) t.equal(walked(boxes, from, key)?.key, to, `${from} ${key}`);
});

t.test('a table of the same: own samples wherever they were, and recursion counts once', async (t) => {
  t.strictSame(
    hottest(root, 3).map(({ name, own, all }) => [name, own, all]),
    [
      ['parse', 45, 45],
      ['wait', 30, 30],
      ['emit', 15, 15],
    ],
  );
  const recursive = frame('root', 10, frame('f', 10, frame('g', 8, frame('f', 6)), frame('f', 1)));
  t.strictSame(hottest(recursive, 9), [
    { name: 'f', own: 8, all: 10 },
    { name: 'g', own: 2, all: 8 },
  ]);
});

t.test('what is found is counted once in each sample', async (t) => {
  const nested = frame('root', 10, frame('aMap', 6, frame('MAP', 5)), frame('other', 4));
  t.strictSame(foundIn(nested, finder('map')), { frames: 2, samples: 6 });
  t.strictSame(foundIn(nested, finder(' ')), { frames: 0, samples: 0 });
  t.strictSame(foundIn(nested, finder('root')), { frames: 0, samples: 0 }, 'the whole is no place');
});

t.test('names of frames are shortened to what differs', async (t) => {
  for (const [name, short, of] of [
    ['org.acme.flow.deep.Orders$Join.process:41', 'Orders$Join.process:41', 'org.acme.flow'],
    ['java.lang.Thread.run:840', 'Thread.run:840', 'java.lang'],
    ['Numbers$Make.map:41', 'Numbers$Make.map:41', ''],
    ['java.base/java.lang.Object.wait:-2', 'Object.wait:-2', 'java.base.java'],
    ['lowercase.only:1', 'lowercase.only:1', ''],
    ['', '', ''],
  ] as const) {
    t.equal(shortFrame(name), short);
    t.equal(packageOf(name), of);
  }
});

t.test('shares of a bar: what is not known stays empty, and rounding never goes over it', async (t) => {
  t.strictSame(sharesOf({}), []);
  t.strictSame(sharesOf({ busyPercentage: 25, backPressuredPercentage: 58 }), [
    { kind: 'busy', width: 25 },
    { kind: 'held', width: 58 },
  ]);
  t.strictSame(sharesOf({ busyPercentage: 0, idlePercentage: 100 }), [{ kind: 'idle', width: 100 }]);
  const over = sharesOf({ busyPercentage: 80, backPressuredPercentage: 30, idlePercentage: 15 });
  t.ok(over.reduce((sum, { width }) => sum + width, 0) <= 100.02);
});

t.test('the address of a flame graph: what does not fit is left out', async (t) => {
  t.strictSame(readFlameSearch({ flame: 'ON_CPU', of: 200000, find: 'map' }), {
    flame: 'ON_CPU',
    of: '200000',
    find: 'map',
  });
  t.strictSame(readFlameSearch({ flame: 'no', of: '1', find: 'map' }), {});
  t.strictSame(readFlameSearch({ flame: 'FULL', of: {}, find: '' }), { flame: 'FULL' });
});
