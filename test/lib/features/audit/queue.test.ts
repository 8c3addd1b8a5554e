import t from 'tap';
import type { Begun } from '../../../../lib/features/audit/begun-records.js';
import { pageOf } from '../../../../lib/features/audit/page.js';
import { createRecordQueue } from '../../../../lib/features/audit/record-queue.js';
import { AuditFilter, type AuditRecord } from '../../../../lib/features/audit/schema.js';

const record = (id: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  id: String(id),
  time: id,
  requestId: `r${id}`,
  userName: 'ada',
  remoteAddress: 'a',
  operation: 'putUser',
  method: 'PUT',
  target: '/users/eve',
  result: 'done',
  status: 200,
  ...more,
});

const begun: Begun = { record: record(0) };

/** Batches that are written when they are let. */
function queue() {
  const batches: { ids: string[]; dropped: number; done: () => void }[] = [];
  const made = createRecordQueue({
    maxBatch: 2,
    maxWaiting: 3,
    write: (batch, dropped) =>
      new Promise((done) => batches.push({ ids: batch.map(({ record: { id } }) => id), dropped, done })),
  });
  const next = async () => {
    while (batches.length === 0) await new Promise(setImmediate);
    const { done, ...batch } = batches.shift() ?? { done() {} };
    done();
    return batch;
  };
  return { ...made, next };
}

t.test('a change is written at once, what waits for others with it, in batches', async (t) => {
  const { add, addEnd, next, flush } = queue();
  const written: number[] = [];
  const put = (id: number, series: 'changes' | 'refusals') =>
    add({ series, record: record(id) }).then(() => written.push(id));
  put(1, 'refusals');
  addEnd({ series: 'changes', record: record(2), begun });
  put(3, 'changes');
  t.match(await next(), { ids: ['1', '2'] });
  t.match(await next(), { ids: ['3'] });
  await flush();
  t.strictSame(written, [1, 3]);
});

t.test('refusals that come while too much waits are counted', async (t) => {
  const { add, addEnd, next } = queue();
  for (const id of [1, 2, 3, 4, 5]) void add({ series: 'refusals', record: record(id) });
  addEnd({ series: 'refusals', record: record(6), begun });
  void add({ series: 'changes', record: record(7) });
  t.strictSame(await next(), { ids: ['1', '2'], dropped: 2 });
  t.strictSame(await next(), { ids: ['3', '6'], dropped: 0 }, 'what is on the disk needs its end');
  t.strictSame(await next(), { ids: ['7'], dropped: 0 });
});

t.test('the end waits for what comes meanwhile', async (t) => {
  const { add, next, close } = queue();
  void add({ series: 'refusals', record: record(1) });
  let isClosed = false;
  const closing = close().then(() => {
    isClosed = true;
  });
  void add({ series: 'refusals', record: record(2) });
  t.match(await next(), { ids: ['1', '2'] });
  void add({ series: 'refusals', record: record(3) });
  t.notOk(isClosed);
  t.match(await next(), { ids: ['3'] });
  await closing;
});

const records = [
  record(5, { userName: 'eve' }),
  record(4, { result: 'refused' }),
  record(3, { operation: 'login', target: '/login' }),
  record(2),
  record(1),
];

const rows: readonly [query: object, ids: readonly string[], next?: string][] = [
  [{}, ['5', '4', '3', '2', '1']],
  [{ limit: 2 }, ['5', '4'], '4'],
  [{ limit: 5 }, ['5', '4', '3', '2', '1']],
  [{ user: 'ada', limit: 4 }, ['4', '3', '2', '1']],
  [{ user: 'ada', limit: 3 }, ['4', '3', '2'], '2'],
  [{ user: 'bob' }, []],
  [{ operation: 'login' }, ['3']],
  [{ target: '/users' }, ['5', '4', '2', '1']],
  [{ result: 'refused' }, ['4']],
  [{ requestId: 'r2' }, ['2']],
  [{ since: 2, until: 4 }, ['4', '3', '2']],
  [{ since: 3, limit: 3 }, ['5', '4', '3']],
];

for (const [query, ids, next] of rows) {
  t.test(`a page of ${JSON.stringify(query)}`, async (t) => {
    async function* read() {
      yield* records;
    }
    const page = await pageOf(read(), AuditFilter.parse(query));
    t.strictSame([page.records.map(({ id }) => id), page.next], [ids, next]);
  });
}
