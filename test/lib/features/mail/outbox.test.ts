import { once } from 'node:events';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import {
  createOutbox,
  defaultOutboxLimits,
  type OutboxLimits,
} from '../../../../lib/features/mail/outbox.js';
import {
  documentMailStore,
  forgetfulStore,
  type MailStore,
} from '../../../../lib/features/mail/outbox-store.js';
import { type Mail, MailNotSent, type RefusedRecipient } from '../../../../lib/index.js';
import { machineClock } from '../../../../lib/options.js';
import { type LogLine, loggerInto } from '../../../helpers/gateway.js';
import { until } from '../../../helpers/waiting.js';

type Answer = (mail: Mail, signal: AbortSignal) => Promise<readonly RefusedRecipient[]>;

const mailOf = (id: string, more: Partial<Mail> = {}): Mail => ({
  id,
  to: ['ops@example.org'],
  subject: `about ${id}`,
  text: 'text',
  html: '<p>text</p>',
  time: Date.now(),
  ...more,
});

const fast = { firstPauseMillis: 5, longestPauseMillis: 20 };
const down = new MailNotSent("the mail server can't be reached", { blame: 'server', isFinal: false });
const refusal = (isFinal: boolean) => new MailNotSent('refused', { blame: 'mail', isFinal });

/** An outbox before a mail server that answers as told. */
async function outboxBefore(
  t: { teardown(end: () => Promise<void>): unknown },
  answer: Answer,
  { store = forgetfulStore, limits = {} }: { store?: MailStore; limits?: Partial<OutboxLimits> } = {},
) {
  const logs: LogLine[] = [];
  const tried: Mail[] = [];
  const sent: string[] = [];
  const outbox = createOutbox({
    send: (mail, signal) => {
      tried.push(mail);
      return answer(mail, signal);
    },
    store,
    kept: await store.load(),
    limits: { ...defaultOutboxLimits, ...fast, ...limits },
    clock: machineClock,
    logger: loggerInto(logs),
  });
  outbox.onSent(async (id) => {
    sent.push(id);
    return false;
  });
  t.teardown(outbox.close);
  async function add(mail: Mail): Promise<void> {
    const { writes, queue } = outbox.prepare(mail);
    await store.write(writes);
    await queue();
  }
  const isSent = (...ids: string[]) =>
    until(
      async () => [...sent],
      (now) => ids.every((id) => now.includes(id)),
    );
  const isLogged = (message: RegExp) =>
    until(
      async () => logs.filter((line) => message.test(line.message)),
      (found) => found.length > 0,
    );
  return { outbox, add, tried, sent, logs, isSent, isLogged };
}

t.test('mails are sent in the order of the changes, each once', async (t) => {
  const { add, tried, isSent } = await outboxBefore(t, async () => []);
  const ids = ['a', 'b', 'c', 'd'];
  await Promise.all(ids.map((id) => add(mailOf(id))));
  await isSent(...ids);
  t.strictSame(
    tried.map(({ id }) => id),
    ids,
  );
});

t.test('a change that is told twice while it waits is one mail', async (t) => {
  let isDown = true;
  const { add, tried, isSent } = await outboxBefore(t, async () => {
    if (isDown) throw down;
    return [];
  });
  await Promise.all([add(mailOf('a')), add(mailOf('a'))]);
  await until(
    async () => tried.length,
    (tries) => tries > 0,
  );
  await add(mailOf('a'));
  isDown = false;
  await add(mailOf('last'));
  await isSent('a', 'last');
  t.equal(tried.filter(({ id }) => id === 'last').length, 1);
});

t.test('while the server is down it is asked now and then, with one mail after the other', async (t) => {
  let isDown = true;
  const { outbox, add, tried, isSent, logs } = await outboxBefore(t, async () => {
    if (isDown) throw down;
    return [];
  });
  await add(mailOf('a'));
  await add(mailOf('b'));
  await until(
    async () => tried.length,
    (tries) => tries >= 4,
  );
  t.same(new Set(tried.slice(0, 4).map(({ id }) => id)), new Set(['a', 'b']), 'no mail holds up the others');
  t.equal(outbox.whyMailsWait(), "the mail server can't be reached");
  isDown = false;
  await isSent('a', 'b');
  t.equal(outbox.whyMailsWait(), undefined);
  t.ok(logs.every(({ level }) => level === 'warn'));
});

t.test('new settings are tried at once, however long the pause', async (t) => {
  let isDown = true;
  const { outbox, add, tried, isSent } = await outboxBefore(
    t,
    async () => {
      if (isDown) throw down;
      return [];
    },
    { limits: { firstPauseMillis: 3600_000, longestPauseMillis: 3600_000 } },
  );
  await add(mailOf('a'));
  await until(
    async () => outbox.whyMailsWait(),
    (trouble) => trouble !== undefined,
  );
  isDown = false;
  await add(mailOf('b'));
  t.equal(tried.length, 1);
  outbox.retryNow();
  await isSent('a', 'b');
});

t.test('a server that hangs is left after the limit, and the signal tells the mailer', async (t) => {
  let aborted = 0;
  const hang: Answer = (_, signal) =>
    new Promise(() => signal.addEventListener('abort', () => aborted++, { once: true }));
  let answer: Answer = hang;
  const { outbox, add, isSent } = await outboxBefore(t, (mail, signal) => answer(mail, signal), {
    limits: { tryMillis: 20 },
  });
  await add(mailOf('a'));
  await until(
    async () => outbox.whyMailsWait(),
    (trouble) => trouble === 'The mail server did not answer in time',
  );
  answer = async () => [];
  await isSent('a');
  t.ok(aborted > 0);
});

t.test('new settings do not wait for a server that hangs', async (t) => {
  let answer: Answer = (_, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  const { outbox, add, tried, isSent } = await outboxBefore(t, (mail, signal) => answer(mail, signal));
  await add(mailOf('a'));
  await until(
    async () => tried.length,
    (tries) => tries === 1,
  );
  answer = async () => [];
  outbox.retryNow();
  await isSent('a');
  t.equal(tried.length, 2);
});

t.test('what the server refuses for good is given up, what it refuses for now is tried again', async (t) => {
  let greylisted = 2;
  const { add, sent, isSent, isLogged } = await outboxBefore(t, async ({ id }) => {
    if (id === 'bad') throw refusal(true);
    if (id === 'grey' && greylisted-- > 0) throw refusal(false);
    return [];
  });
  for (const id of ['bad', 'grey', 'good']) await add(mailOf(id));
  await isSent('grey', 'good');
  t.notOk(sent.includes('bad'));
  t.match(await isLogged(/given up/), [{ level: 'error', fields: { mail: 'bad', why: 'refused' } }]);
});

t.test('recipients: who has it gets it no second time, who was put off gets it later', async (t) => {
  const to = ['a@example.org', 'later@example.org', 'never@example.org'];
  const { add, tried, sent, isSent, isLogged } = await outboxBefore(t, async (mail) =>
    mail.to.length === 1
      ? []
      : [
          { address: 'later@example.org', replyCode: 450 },
          { address: 'never@example.org', replyCode: 550 },
        ],
  );
  await add(mailOf('a', { to }));
  await isSent('a');
  await until(
    async () => tried.length,
    (tries) => tries === 2,
  );
  t.strictSame(
    tried.map((mail) => mail.to),
    [to, ['later@example.org']],
  );
  t.strictSame(sent, ['a'], 'told once');
  t.match(await isLogged(/refuses a recipient/), [
    { fields: { address: 'never@example.org', replyCode: 550 } },
  ]);
});

t.test('the oldest gives way when too many wait, and old ones are given up', async (t) => {
  let isDown = true;
  const { outbox, add, sent, isSent, logs } = await outboxBefore(
    t,
    async () => {
      if (isDown) throw down;
      return [];
    },
    { limits: { mails: 2, firstPauseMillis: 3600_000, longestPauseMillis: 3600_000 } },
  );
  for (const id of ['a', 'b', 'c']) {
    await add(mailOf(id));
    await until(
      async () => outbox.whyMailsWait(),
      (trouble) => trouble !== undefined,
    );
  }
  await add(mailOf('d', { time: Date.now() - 25 * 3600_000 }));
  isDown = false;
  outbox.retryNow();
  await isSent('c');
  t.strictSame(sent, ['c']);
  t.strictSame(
    logs
      .filter(({ message }) => message === 'a mail was given up')
      .map(({ fields }) => [fields['mail'], fields['why']]),
    [
      ['a', 'more than 2 wait'],
      ['b', 'more than 2 wait'],
      ['d', 'it is too old'],
    ],
  );
});

t.test('what is kept outlives a restart, and what was sent does not come back', async (t) => {
  const { documents } = memoryStorage();
  const store = documentMailStore(documents);
  const before = await outboxBefore(
    t,
    async ({ id }) => {
      if (id === 'b') throw down;
      return [];
    },
    { store },
  );
  await before.add(mailOf('a'));
  await before.isSent('a');
  await before.add(mailOf('b', { to: ['x@example.org', 'y@example.org'] }));
  await until(
    async () => before.outbox.whyMailsWait(),
    (trouble) => trouble !== undefined,
  );
  await before.outbox.close();
  await t.rejects(before.add(mailOf('c')), { code: 'NOT_READY' });

  const after = await outboxBefore(t, async () => [], { store });
  await after.isSent('b');
  t.match(after.tried, [{ id: 'b', subject: 'about b', to: ['x@example.org', 'y@example.org'] }]);
  await until(
    async () => (await store.load()).length,
    (left) => left === 0,
  );
});

t.test('what is sent while nobody listens is told to who listens next', async (t) => {
  const store = documentMailStore(memoryStorage().documents);
  const { outbox, add, sent, isSent } = await outboxBefore(t, async () => [], { store });
  const stop = outbox.onSent(async () => true);
  stop();
  await add(mailOf('a'));
  await until(
    async () => (await store.load()).length,
    (left) => left === 0,
  );
  t.strictSame(sent, []);
  outbox.onSent(async (id, writes) => {
    sent.push(id);
    await store.write(writes);
    return true;
  });
  t.strictSame(sent, ['a']);
  await add(mailOf('b'));
  await isSent('b');
  t.strictSame(sent, ['a', 'b']);
  await until(
    async () => (await store.load()).length,
    (left) => left === 0,
  );
});

t.test('a listener that fails keeps no mail from leaving', async (t) => {
  const store = documentMailStore(memoryStorage().documents);
  const { outbox, add, tried, isLogged } = await outboxBefore(t, async () => [], { store });
  outbox.onSent(() => Promise.reject(new Error('a fault')));
  await add(mailOf('a'));
  t.match(await isLogged(/a listener for sent mails failed/), [{ level: 'error' }]);
  await until(
    async () => (await store.load()).length,
    (left) => left === 0,
  );
  t.equal(tried.length, 1);
});

t.test('closing cuts what is under way', async (t) => {
  let cut = false;
  const { outbox, add, tried } = await outboxBefore(
    t,
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          cut = true;
          reject(signal.reason);
        }),
      ),
  );
  await add(mailOf('a'));
  await until(
    async () => tried.length,
    (tries) => tries === 1,
  );
  await outbox.close();
  t.ok(cut);
});

t.test(
  'closing hears what came of the mail under way, and waits for no mailer that does not stop',
  async (t) => {
    const store = documentMailStore(memoryStorage().documents);
    for (const [id, answer] of [
      ['taken', (signal: AbortSignal) => once(signal, 'abort').then(() => [])],
      ['hanging', () => new Promise<never>(() => {})],
    ] as const) {
      const { outbox, add, tried } = await outboxBefore(t, (_, signal) => answer(signal), { store });
      await add(mailOf(id));
      await until(
        async () => tried.length,
        (tries) => tries === 1,
      );
      await outbox.close();
    }
    t.match(await store.load(), [{ id: 'hanging' }], 'what the server took is not sent again');
  },
);
