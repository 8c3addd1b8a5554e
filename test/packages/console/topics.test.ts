import t from 'tap';
import { linesOf } from '../../../packages/console/src/features/topics/lines.js';
import { groupsOf } from '../../../packages/console/src/features/topics/names.js';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';

const shown = (value: unknown, before?: unknown) =>
  linesOf(value, before).map(
    ({ depth, text, isChanged }) => `${isChanged ? '~' : ' '}${'  '.repeat(depth)}${text}`,
  );

t.test('a value as lines', async (t) => {
  t.strictSame(shown({ a: 1, b: [true, null], c: {}, d: 'x' }), [
    ' {',
    '   "a": 1,',
    '   "b": [',
    '     true,',
    '     null',
    '   ],',
    '   "c": {},',
    '   "d": "x"',
    ' }',
  ]);
  t.strictSame(shown(7), [' 7'], 'a first message has changed nothing');
});

t.test('leaves that are not what they were are marked', async (t) => {
  const cases: readonly [now: unknown, before: unknown, marked: readonly string[]][] = [
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, ['"b": 2']],
    [{ a: null }, {}, ['"a": null']],
    [{ a: {} }, { a: { b: 1 } }, ['"a": {}']],
    [{ a: 1 }, { a: { b: 1 } }, ['"a": 1']],
    [[1, 2], [1], ['2']],
    [{ toString: 1 }, {}, ['"toString": 1']],
    [
      { id: new ExactNumber('7312345678901234567') },
      { id: new ExactNumber('7312345678901234568') },
      ['"id": 7312345678901234567'],
    ],
    [{ id: new ExactNumber('7312345678901234567') }, { id: new ExactNumber('7312345678901234567') }, []],
  ];
  for (const [now, before, marked] of cases)
    t.strictSame(
      linesOf(now, before)
        .filter(({ isChanged }) => isChanged)
        .map(({ text }) => text.replace(/,$/, '')),
      marked,
    );
});

t.test('topics by their first part, each once, those that fit', async (t) => {
  t.strictSame(groupsOf(['b.2', 'a', 'b.10', 'b.2'], ''), [
    { title: 'a', names: ['a'] },
    { title: 'b', names: ['b.2', 'b.10'] },
  ]);
  t.strictSame(groupsOf(['b.2', 'a'], ' B. '), [{ title: 'b', names: ['b.2'] }]);
});
