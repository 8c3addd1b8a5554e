import t from 'tap';
import { readListSearch } from '../../../packages/console/src/features/applications/list-search.js';
import {
  causeOf,
  countsOf,
  inOrderOf,
  merged,
  nextSorting,
  type Row,
  shownRows,
} from '../../../packages/console/src/features/applications/rows.js';
import { hostLogin, returnPath } from '../../../packages/console/src/features/session/return-to.js';

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  name: id,
  user: 'ana',
  state: 'RUNNING',
  startedTime: 1,
  finishedTime: 0,
  diagnostics: '',
  runningContainers: 1,
  ...more,
});
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

t.test('the list, and what the topic says since', async (t) => {
  const listed = [row('a', { canWrite: true }), row('b'), row('old', { state: 'FINISHED' })];
  t.strictSame(merged(listed, undefined), { rows: listed, missing: [] }, 'before it says anything');
  const { rows, missing } = merged(listed, [row('a', { runningContainers: 2 }), row('new')]);
  t.strictSame(ids(rows), ['new', 'a', 'b', 'old']);
  t.match(rows[1], { runningContainers: 2, canWrite: true }, 'what the topic does not say stays');
  t.strictSame(missing, ['b'], 'who left is asked for, and not dropped');
});

t.test('failed ones first, then by when they began', async (t) => {
  const rows = [
    row('r1', { startedTime: 1 }),
    row('r2', { startedTime: 2 }),
    row('f', { state: 'FAILED' }),
    row('e', { state: 'FINISHED' }),
    row('n', { state: 'ACCEPTED' }),
  ];
  t.strictSame(ids(shownRows(rows, {})), ['f', 'r2', 'r1', 'n', 'e']);
  t.strictSame(ids(shownRows(rows, { sort: '-name' })), ['r2', 'r1', 'n', 'f', 'e']);
  t.strictSame(ids(shownRows(rows, { state: 'running', q: 'R2' })), ['r2']);
  t.strictSame(ids(inOrderOf(['e', 'r1'], rows)).slice(0, 2), ['e', 'r1'], 'frozen');
  t.match(countsOf(rows), { running: 2, failed: 1, ended: 1, waiting: 1, killed: 0 });
  t.strictSame(
    [nextSorting('name', undefined), nextSorting('name', 'name'), nextSorting('name', '-name')],
    ['name', '-name', undefined],
  );
});

t.test('what an application died of, in a line', async (t) => {
  t.equal(causeOf(row('a', { state: 'FAILED', diagnostics: '\nOutOfMemory\n at x' })), 'OutOfMemory');
  t.equal(causeOf(row('a', { state: 'FAILED' })), undefined);
  t.equal(causeOf(row('a', { diagnostics: 'fine' })), undefined);
});

t.test('what an address says is taken where it fits', async (t) => {
  t.strictSame(readListSearch({ state: 'failed', q: 'x', sort: '-user', other: 1 }), {
    state: 'failed',
    q: 'x',
    sort: '-user',
  });
  t.strictSame(readListSearch({ state: 'constructor', q: 7, sort: ['name'] }), { q: '7' });
});

t.test('after a login somebody comes back into the console, and nowhere else', async (t) => {
  t.equal(returnPath('/apps/a?x=1'), '/apps/a?x=1');
  for (const bad of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/a\n/b',
    '/login',
    7,
  ])
    t.equal(returnPath(bad), '/apps', String(bad));
  t.equal(
    hostLogin('/login?a=1#top', 'https://x/console/apps?q=&'),
    '/login?a=1&returnTo=https%3A%2F%2Fx%2Fconsole%2Fapps%3Fq%3D%26#top',
  );
});
