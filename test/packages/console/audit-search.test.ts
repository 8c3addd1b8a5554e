import t from 'tap';
import {
  type AuditSearch,
  fits,
  mergedRecords,
  readAuditSearch,
} from '../../../packages/console/src/features/audit/audit-search.js';

t.test('what an address says of the log; what does not fit is left out', async (t) => {
  const rows: readonly [search: Record<string, unknown>, read: AuditSearch][] = [
    [{}, {}],
    [
      { user: 'ana', result: 'done', since: 1000 },
      { user: 'ana', result: 'done', since: 1000 },
    ],
    [{ user: 7, operation: '' }, { user: '7' }],
    [{ result: 'maybe', since: -1, until: 'now' }, {}],
  ];
  for (const [search, read] of rows) t.strictSame(readAuditSearch(search), read, JSON.stringify(search));
});

t.test('a live record is shown where the gateway would have listed it', async (t) => {
  const record = {
    id: '12',
    time: 5000,
    userName: 'ana',
    operation: 'putRole',
    target: '/ws/v2/auth/roles/viewer',
    result: 'done',
  };
  const rows: readonly [search: AuditSearch, isShown: boolean][] = [
    [{}, true],
    [{ user: 'ana', operation: 'putRole', target: '/ws/v2/auth', result: 'done' }, true],
    [{ user: 'an' }, false],
    [{ operation: 'put' }, false],
    [{ target: '/roles' }, false],
    [{ result: 'refused' }, false],
    [{ since: 5000, until: 5000 }, true],
    [{ since: 5001 }, false],
    [{ until: 4999 }, false],
  ];
  for (const [search, isShown] of rows) t.equal(fits(record, search), isShown, JSON.stringify(search));
});

t.test('read and live records are each there once, the newest first', async (t) => {
  const of = (id: string, from: string) => ({ id, from });
  t.strictSame(mergedRecords([of('11', 'page'), of('9', 'page')], [of('11', 'live'), of('100', 'live')]), [
    of('100', 'live'),
    of('11', 'live'),
    of('9', 'page'),
  ]);
});
