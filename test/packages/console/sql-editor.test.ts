import t from 'tap';
import { problemsInLines, problemsToShow } from '../../../packages/console/src/features/editor/problems.js';
import {
  addStatement,
  movedIn,
  moveStatement,
  placeOfStatement,
  propertiesIn,
  removeStatement,
  setOption,
  setStatement,
  statementProblems,
  statementsIn,
} from '../../../packages/console/src/features/editor/sql/statements.js';

// Changes of an application in SQL touch nothing but what they are about.

const kept = { kind: 'sql', note: { of: 'somebody' }, statements: ['a', 'b', 'c'] };

t.test('statements are added, changed, moved and removed, and what nobody knows stays', async (t) => {
  const table = [
    [addStatement(kept, 0), ['', 'a', 'b', 'c']],
    [addStatement(kept, 3), ['a', 'b', 'c', '']],
    [setStatement(kept, 1, 'x'), ['a', 'x', 'c']],
    [setStatement(kept, 9, 'x'), ['a', 'b', 'c']],
    [removeStatement(kept, 1), ['a', 'c']],
    [moveStatement(kept, 0, 2), ['b', 'c', 'a']],
    [moveStatement(kept, 2, 1), ['a', 'c', 'b']],
    [moveStatement(kept, 0, -1), ['a', 'b', 'c']],
    [moveStatement(kept, 2, 3), ['a', 'b', 'c']],
    [addStatement({ kind: 'sql' }, 0), ['']],
  ] as const;
  for (const [made, statements] of table) t.strictSame(statementsIn(made), statements);
  t.match(moveStatement(kept, 0, 2), { kind: 'sql', note: { of: 'somebody' } });
  t.strictSame(kept.statements, ['a', 'b', 'c'], 'and never the definition that was given');
  t.strictSame(movedIn(['x'], 0, 0), ['x']);
});

t.test('what is no list or no text is shown, and stays while others change', async (t) => {
  t.strictSame(statementsIn({ statements: 'a' }), []);
  t.strictSame(statementsIn({ statements: [1, { a: 2 }, 'b'] }).length, 3);
  t.strictSame(setStatement({ statements: [1, 'b'] }, 1, 'c')['statements'], [1, 'c']);
});

t.test('options are set and taken away; the last one takes its place along', async (t) => {
  const one = setOption(kept, 'a.b', '1');
  t.strictSame(propertiesIn(one), [['a.b', '1']]);
  const two = setOption(setOption(one, 'c', '2'), 'a.b', '3');
  t.strictSame(propertiesIn(two), [
    ['a.b', '3'],
    ['c', '2'],
  ]);
  t.strictSame(setOption(one, 'a.b', undefined), kept);
  t.strictSame(propertiesIn(setOption({ properties: 'x' }, 'a', '1')), [['a', '1']]);
});

t.test('problems are told at their statement', async (t) => {
  t.match(statementProblems({}), [{ path: 'statements' }]);
  t.match(statementProblems({ statements: ['a', ' \n'] }), [{ path: 'statements.1' }]);
  t.strictSame(
    problemsInLines('statements.2: makes a job: no\nproperties.a.b: is the gateway’s\nkind: no SQL'),
    [
      { path: 'statements.2', message: 'makes a job: no' },
      { path: 'properties.a.b', message: 'is the gateway’s' },
      { path: 'kind', message: 'no SQL' },
    ],
  );
  const local = [{ path: 'statements.1', message: 'empty' }];
  t.strictSame(problemsToShow('statements.1: is no statement', local, false), [
    { path: 'statements.1', message: 'is no statement' },
  ]);
  t.strictSame(
    problemsToShow('statements.0: wrong', local, true),
    local,
    'of what is not saved nobody knows',
  );
});

t.test('a statement by what a problem or an address says', async (t) => {
  for (const [text, place] of [
    ['statements.2', 2],
    ['statement:0', 0],
    ['statement:12', 12],
    ['statements', undefined],
    ['operator:a', undefined],
    [undefined, undefined],
  ] as const)
    t.equal(placeOfStatement(text), place);
});
