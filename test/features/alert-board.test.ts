import t from 'tap';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createAlertBoard } from '../../lib/features/system-alerts/board.js';
import { createAlertMemory } from '../../lib/features/system-alerts/memory.js';
import type { StoredAlert } from '../../lib/features/system-alerts/stored.js';
import type { AlertChange, AlertMails, DocumentStore } from '../../lib/index.js';
import { type LogLine, loggerInto } from '../helpers/gateway.js';

// Who is told what, and what a restart leaves of it.

const alert = (more: Partial<StoredAlert> = {}): StoredAlert => ({
  name: 'hot',
  owner: { userName: 'ada' },
  condition: 'true',
  topics: [],
  email: 'a@example.org, b@example.org',
  description: 'Too warm',
  timeThresholdMillis: 0,
  disabled: false,
  savedAt: 1,
  ...more,
});

/** A mail server that takes what it is told, or fails; `deliver` is its answer. */
function noting(fails = false) {
  const changes: AlertChange[] = [];
  let sent = (_: string) => {};
  const mails: AlertMails = {
    async notify(change) {
      if (fails) throw new Error('no room');
      changes.push(change);
    },
    onSent(listener) {
      sent = listener;
      return () => {
        sent = () => {};
      };
    },
    sendTest: async () => {},
  };
  return { mails, changes, deliver: (id = '') => sent(id), kinds: () => changes.map(({ kind }) => kind) };
}

function boardOf(mails: AlertMails, documents?: DocumentStore, historyPerOwner = 1000) {
  const logs: LogLine[] = [];
  const logger = loggerInto(logs);
  const moment = { now: 1000, monotonic: 0 };
  const clock = { now: () => moment.now, monotonic: () => moment.monotonic };
  const memory = documents && createAlertMemory({ documents, logger });
  const board = createAlertBoard({ clock, logger, mails, memory, historyPerOwner });
  const evaluated = (holds: boolean) => {
    const live = board.get('hot');
    if (!live) throw new Error('there is no such alert');
    moment.now += 1000;
    const fields = [{ topic: 'room', path: ['temperature'], value: '21' }];
    board.take(live, { is: 'evaluated', holds, thresholdMillis: 0 }, { ...moment }, fields);
  };
  const shown = () => {
    const live = board.get('hot');
    return live && board.shown(live);
  };
  return { board, evaluated, shown, logs };
}

t.test('one mail for each change, with what was read', async (t) => {
  const { mails, changes, kinds, deliver } = noting();
  const { board, evaluated, shown } = boardOf(mails);
  board.save(alert());
  evaluated(true);
  evaluated(true);
  evaluated(false);
  evaluated(false);
  board.save(alert({ disabled: true, savedAt: 2 }));
  board.save(alert({ disabled: true, savedAt: 3 }));
  board.save(alert({ savedAt: 4 }));
  board.remove('hot');
  await board.close();
  t.strictSame(kinds(), ['triggered', 'cleared', 'disabled']);
  t.match(changes[0], {
    time: 2000,
    inTime: 2000,
    alert: { recipients: ['a@example.org', 'b@example.org'], owner: 'ada' },
    fields: [{ topic: 'room', path: ['temperature'], value: '21' }],
  });
  t.match(changes[1], { time: 4000, inTime: 2000 });
  t.equal(new Set(changes.map(({ id }) => id)).size, 3);
  for (const { id } of changes) t.match(id, /^[A-Za-z0-9-]{1,64}$/);
  t.strictSame(board.history.list('bob'), []);
  t.match(board.history.list('ada'), [{ inTime: 2000, outTime: 4000, emailSent: false }]);
  t.equal(shown(), undefined);
  deliver(changes[1]?.id);
});

t.test('a mail that was sent shows', async (t) => {
  const { mails, changes, deliver } = noting();
  const { board, evaluated, shown } = boardOf(mails);
  board.save(alert());
  evaluated(true);
  await new Promise(setImmediate);
  t.equal(shown()?.alertStatus.emailSent, false);
  deliver(changes[0]?.id);
  t.equal(shown()?.alertStatus.emailSent, true);
  evaluated(false);
  await new Promise(setImmediate);
  t.equal(shown()?.alertStatus.emailSent, false);
  deliver(changes[1]?.id);
  t.match(board.history.list(), [{ emailSent: true }]);
  await board.close();
});

t.test('mails that nobody takes stop nothing', async (t) => {
  const { mails } = noting(true);
  const { board, evaluated, shown, logs } = boardOf(mails);
  board.save(alert());
  evaluated(true);
  await board.close();
  t.match(shown(), { alertStatus: { isInAlert: true, emailSent: false } });
  t.match(logs, [{ level: 'warn', fields: { alert: 'hot', change: 'triggered' } }]);
});

t.test('what came of an evaluation that began before the alert was saved is nothing', async (t) => {
  const { mails, kinds } = noting();
  const { board } = boardOf(mails);
  board.save(alert());
  const before = board.get('hot');
  board.save(alert({ savedAt: 2 }));
  if (before)
    board.take(before, { is: 'evaluated', holds: true, thresholdMillis: 0 }, { now: 5, monotonic: 5 });
  await board.close();
  t.strictSame(kinds(), []);
});

t.test('a restart forgets, unless alerts are durable', async (t) => {
  for (const isDurable of [false, true]) {
    const storage = memoryStorage();
    const documents = isDurable ? storage.documents : undefined;
    const first = noting();
    const { board, evaluated } = boardOf(first.mails, documents, 2);
    board.save(alert());
    for (const holds of [true, false, true, false, true, false, true]) evaluated(holds);
    await new Promise(setImmediate);
    first.deliver(first.changes.at(-1)?.id);
    await board.close();
    const second = noting();
    const again = boardOf(second.mails, documents, 2);
    await again.board.restore([alert()]);
    const isInAlert = isDurable;
    t.match(again.shown(), {
      alertStatus: { isInAlert, ...(isDurable ? { inTime: 8000, emailSent: true } : {}) },
    });
    t.equal(again.board.history.list().length, isDurable ? 2 : 0);
    again.evaluated(true);
    await again.board.close();
    t.strictSame(second.kinds(), isDurable ? [] : ['triggered'], 'no second mail');
    const third = boardOf(noting().mails, documents, 2);
    await third.board.restore([alert({ savedAt: 9 })]);
    t.match(
      third.shown(),
      { alertStatus: { isInAlert: false } },
      'it belongs to the alert that was saved then',
    );
    await storage.close();
  }
});

t.test('a change that nobody took over before the end is told after it', async (t) => {
  const storage = memoryStorage();
  const never: AlertMails = { ...noting().mails, notify: () => new Promise(() => {}) };
  const { board, evaluated } = boardOf(never, storage.documents);
  board.save(alert());
  evaluated(true);
  for (let kept = 0; kept === 0; ) {
    await new Promise(setImmediate);
    for await (const _ of storage.documents.entries('alert-status')) kept++;
  }
  const { mails, changes } = noting();
  const again = boardOf(mails, storage.documents);
  await again.board.restore([alert()]);
  await again.board.close();
  t.match(changes, [{ kind: 'triggered', time: 2000 }]);
  const last = noting();
  const third = boardOf(last.mails, storage.documents);
  await third.board.restore([alert()]);
  await third.board.close();
  t.strictSame(last.kinds(), []);
  await storage.close();
});
