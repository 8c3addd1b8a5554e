import { createHash } from 'node:crypto';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { AlertMails } from '../../../../lib/features/mail/service.js';
import { alertGroups } from '../../../../lib/features/system-alerts/alert-groups.js';
import { createAlertRegistry } from '../../../../lib/features/system-alerts/alert-registry.js';
import type {
  ConditionResult,
  ConditionRunner,
} from '../../../../lib/features/system-alerts/conditions/condition.js';
import { createAlertMonitor } from '../../../../lib/features/system-alerts/monitor.js';
import { readAlertOptions } from '../../../../lib/features/system-alerts/options.js';
import { createSnapshots } from '../../../../lib/features/system-alerts/snapshots.js';
import { createAlertStatusStore } from '../../../../lib/features/system-alerts/status-store.js';
import type { StoredAlert } from '../../../../lib/features/system-alerts/stored.js';
import { createTopicHistory } from '../../../../lib/features/system-alerts/topic-history.js';
import {
  createTopicReadings,
  type TopicSource,
} from '../../../../lib/features/system-alerts/topic-readings.js';
import { anonymous } from '../../../../lib/http/principal.js';
import { type DocumentStore, NotFound } from '../../../../lib/index.js';
import type { AlertChange } from '../../../../lib/model/alerts.js';
import { machineClock } from '../../../../lib/options.js';
import { type LogLine, loggerInto } from '../../../helpers/gateway.js';
import { until } from '../../../helpers/waiting.js';

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
  let sent = (_: string): unknown => undefined;
  const mails: AlertMails = {
    async prepare(change) {
      if (fails) throw new Error('no room');
      return {
        writes: [{ op: 'put', collection: 'mails', key: change.id, value: change.kind }],
        queue: async () => void changes.push(change),
      };
    },
    onSent(listener) {
      sent = (id) => listener(id, [{ op: 'delete', collection: 'mails', key: id }]);
      return () => {
        sent = () => undefined;
      };
    },
    shown: () => ({ subject: '', text: '' }),
    sendTest: async () => {},
  };
  return { mails, changes, deliver: (id = '') => sent(id), kinds: () => changes.map(({ kind }) => kind) };
}

function registryOf(mails: AlertMails, documents?: DocumentStore, historyPerOwner = 1000) {
  const logs: LogLine[] = [];
  const logger = loggerInto(logs);
  const moment = { now: 1000, monotonic: 0 };
  const clock = { now: () => moment.now, monotonic: () => moment.monotonic };
  const statusStore = documents && createAlertStatusStore({ documents, logger });
  const registry = createAlertRegistry({ clock, logger, mails, statusStore, historyPerOwner });
  const evaluated = (holds: boolean) => {
    const live = registry.get('hot');
    if (!live) throw new Error('there is no such alert');
    moment.now += 1000;
    const fields = [{ topic: 'room', path: ['temperature'], value: '21' }];
    registry.take(live, { is: 'evaluated', holds, thresholdMillis: 0 }, { ...moment }, fields);
  };
  const shown = () => {
    const live = registry.get('hot');
    return live && registry.shown(live);
  };
  return { registry, evaluated, shown, logs };
}

t.test('one mail for each change, with what was read', async (t) => {
  const { mails, changes, kinds, deliver } = noting();
  const { registry, evaluated, shown } = registryOf(mails);
  registry.save(alert());
  evaluated(true);
  evaluated(true);
  evaluated(false);
  evaluated(false);
  registry.save(alert({ disabled: true, savedAt: 2 }));
  registry.save(alert({ disabled: true, savedAt: 3 }));
  registry.save(alert({ savedAt: 4 }));
  registry.remove('hot');
  await registry.close();
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
  t.strictSame(registry.history.list('bob'), []);
  t.match(registry.history.list('ada'), [{ inTime: 2000, outTime: 4000, emailSent: false }]);
  t.equal(shown(), undefined);
  deliver(changes[1]?.id);
});

t.test('a mail that was sent shows', async (t) => {
  const { mails, changes, deliver } = noting();
  const { registry, evaluated, shown } = registryOf(mails);
  await registry.restore([]);
  registry.save(alert());
  evaluated(true);
  await new Promise(setImmediate);
  t.equal(shown()?.alertStatus.emailSent, false);
  deliver(changes[0]?.id);
  t.equal(shown()?.alertStatus.emailSent, true);
  evaluated(false);
  await new Promise(setImmediate);
  t.equal(shown()?.alertStatus.emailSent, false);
  deliver(changes[1]?.id);
  t.match(registry.history.list(), [{ emailSent: true }]);
  await registry.close();
});

t.test('mails that nobody takes stop nothing', async (t) => {
  const { mails } = noting(true);
  const { registry, evaluated, shown, logs } = registryOf(mails);
  registry.save(alert());
  evaluated(true);
  await registry.close();
  t.match(shown(), { alertStatus: { isInAlert: true, emailSent: false } });
  t.match(logs, [{ level: 'warn', fields: { alert: 'hot', change: 'triggered' } }]);
});

t.test('what came of an evaluation that began before the alert was saved is nothing', async (t) => {
  const { mails, kinds } = noting();
  const { registry } = registryOf(mails);
  registry.save(alert());
  const before = registry.get('hot');
  registry.save(alert({ savedAt: 2 }));
  if (before)
    registry.take(before, { is: 'evaluated', holds: true, thresholdMillis: 0 }, { now: 5, monotonic: 5 });
  await registry.close();
  t.strictSame(kinds(), []);
});

t.test('a restart forgets, unless alerts are durable', async (t) => {
  for (const isDurable of [false, true]) {
    const storage = memoryStorage();
    const documents = isDurable ? storage.documents : undefined;
    const first = noting();
    const { registry, evaluated } = registryOf(first.mails, documents, 2);
    await registry.restore([]);
    registry.save(alert());
    for (const holds of [true, false, true, false, true, false, true]) evaluated(holds);
    await new Promise(setImmediate);
    first.deliver(first.changes.at(-1)?.id);
    await registry.close();
    const second = noting();
    const again = registryOf(second.mails, documents, 2);
    await again.registry.restore([alert()]);
    const isInAlert = isDurable;
    t.match(again.shown(), {
      alertStatus: { isInAlert, ...(isDurable ? { inTime: 8000, emailSent: true } : {}) },
    });
    t.equal(again.registry.history.list().length, isDurable ? 2 : 0);
    again.evaluated(true);
    await again.registry.close();
    t.strictSame(second.kinds(), isDurable ? [] : ['triggered'], 'no second mail');
    const third = registryOf(noting().mails, documents, 2);
    await third.registry.restore([alert({ savedAt: 9 })]);
    t.match(
      third.shown(),
      { alertStatus: { isInAlert: false } },
      'it belongs to the alert that was saved then',
    );
    await storage.close();
  }
});

t.test('what ended in the same millisecond stays in its order over restarts', async (t) => {
  const storage = memoryStorage();
  const names = Array.from({ length: 20 }, (_, index) => `alert ${(index * 7) % 20}`);
  const shownFirst = names.toReversed();
  const { registry } = registryOf(noting().mails, storage.documents);
  for (const name of names) registry.save(alert({ name }));
  for (const [now, holds] of [
    [2000, true],
    [3000, false],
  ] as const) {
    for (const live of registry.all())
      registry.take(live, { is: 'evaluated', holds, thresholdMillis: 0 }, { now, monotonic: now });
  }
  const shown = (from: typeof registry) => from.history.list().map(({ name }) => name);
  t.strictSame(shown(registry), shownFirst);
  await registry.close();
  for (const start of ['second', 'third']) {
    const again = registryOf(noting().mails, storage.documents);
    await again.registry.restore(names.map((name) => alert({ name })));
    t.strictSame(shown(again.registry), shownFirst, start);
    const name = `of the ${start} start`;
    again.registry.save(alert({ name }));
    const live = again.registry.get(name);
    for (const holds of [true, false])
      if (live)
        again.registry.take(
          live,
          { is: 'evaluated', holds, thresholdMillis: 0 },
          { now: 3000, monotonic: 3000 },
        );
    shownFirst.unshift(name);
    t.strictSame(shown(again.registry), shownFirst);
    await again.registry.close();
  }
  await storage.close();
});

t.test('history that was kept before entries were counted is read, marked and dropped', async (t) => {
  const storage = memoryStorage();
  const { documents } = storage;
  const item = { owner: 'ada', inTime: 1, message: 'Too warm', emailSent: false };
  const old = [10, 20].map((outTime) => ({
    item: { ...item, name: 'hot', outTime },
    changeId: `of ${outTime}`,
  }));
  const keyOf = (outTime: number) =>
    `${String(outTime).padStart(15, '0')}-${createHash('sha256').update('hot').digest('hex').slice(0, 16)}`;
  for (const value of old)
    await documents.write([
      { op: 'put', collection: 'alert-history', key: keyOf(value.item.outTime), value },
    ]);
  const { mails, deliver } = noting();
  const { registry, evaluated, logs } = registryOf(mails, documents, 2);
  await registry.restore([alert()]);
  const outTimes = (from: typeof registry) => from.history.list().map(({ outTime }) => outTime);
  t.strictSame(outTimes(registry), [20, 10]);
  t.strictSame(logs, []);
  deliver('of 20');
  for (const holds of [true, false]) evaluated(holds);
  await registry.close();
  const again = registryOf(noting().mails, documents, 2);
  await again.registry.restore([alert()]);
  t.strictSame(outTimes(again.registry), [3000, 20]);
  t.match(again.registry.history.list()[1], { emailSent: true });
  const keys: string[] = [];
  for await (const [key] of documents.entries('alert-history')) keys.push(key);
  t.strictSame(keys, ['000000000000001', keyOf(20)]);
  await again.registry.close();
  await storage.close();
});

t.test('a status that can not be written is no mail, and stops nothing', async (t) => {
  const storage = memoryStorage();
  const broken = { ...storage.documents, write: () => Promise.reject(new Error('disk full')) };
  const { mails, kinds } = noting();
  const { registry, evaluated, shown, logs } = registryOf(mails, broken);
  registry.save(alert());
  evaluated(true);
  await registry.close();
  t.strictSame(kinds(), []);
  t.match(shown(), { alertStatus: { isInAlert: true, emailSent: false } });
  t.match(logs, [
    { level: 'error', fields: { event: 'alerts.status_not_saved', alert: 'hot' } },
    { level: 'warn', fields: { event: 'alerts.notification_failed', alert: 'hot', change: 'triggered' } },
  ]);
  await storage.close();
});

t.test('status, history and mail are one write, and so is that the mail was sent', async (t) => {
  const storage = memoryStorage();
  const batches: string[][] = [];
  const documents: DocumentStore = {
    ...storage.documents,
    async write(batch) {
      batches.push(batch.map(({ op, collection }) => `${op} ${collection}`));
      return storage.documents.write(batch);
    },
  };
  const { mails, changes, deliver } = noting();
  const { registry, evaluated } = registryOf(mails, documents);
  await registry.restore([]);
  registry.save(alert());
  for (const holds of [true, false]) evaluated(holds);
  await until(
    async () => changes.length,
    (count) => count === 2,
  );
  deliver(changes[1]?.id);
  await registry.close();
  t.strictSame(batches, [
    ['put alert-status', 'put mails'],
    ['put alert-status', 'put alert-history', 'put mails'],
    ['put alert-status', 'put alert-history', 'delete mails'],
  ]);
  await storage.close();
});

t.test('mails that the version before had not queued yet are queued, in one write with that', async (t) => {
  const storage = memoryStorage();
  const { documents } = storage;
  const change: AlertChange = {
    id: 'triggered-before',
    kind: 'triggered',
    alert: {
      name: 'hot',
      owner: 'ada',
      condition: 'true',
      recipients: ['a@example.org'],
      description: 'Too warm',
      timeThresholdMillis: 0,
    },
    time: 2000,
    inTime: 2000,
    fields: [],
  };
  const value = {
    name: 'hot',
    savedAt: 1,
    inTime: 2000,
    changeId: change.id,
    isSent: false,
    untold: [change],
  };
  await documents.write([{ op: 'put', collection: 'alert-status', key: 'hot', value }]);
  const { mails, changes } = noting();
  const first = registryOf(mails, documents);
  await first.registry.restore([alert()]);
  await first.registry.close();
  t.strictSame(changes, [change]);
  t.match(first.shown(), { alertStatus: { isInAlert: true, inTime: 2000 } });
  const last = noting();
  const again = registryOf(last.mails, documents);
  await again.registry.restore([alert()]);
  await again.registry.close();
  t.strictSame(last.kinds(), [], 'once');
  t.match(again.shown(), { alertStatus: { isInAlert: true, inTime: 2000 } });
  await storage.close();
});

t.test('what is stopped three times in a row is left alone, as it is, until it is saved again', async (t) => {
  const stopped: ConditionResult = { is: 'stopped', message: 'It took too long' };
  const holds: ConditionResult = { is: 'evaluated', holds: true, millis: 1 };
  const failed: ConditionResult = { is: 'failed', message: 'TypeError' };
  const results = [
    stopped,
    stopped,
    holds,
    stopped,
    stopped,
    failed,
    stopped,
    { is: 'skipped', because: 'others' } as const,
    stopped,
    stopped,
  ];
  const shown: (boolean | string | undefined)[] = [];
  let evaluations = 0;
  const runner: ConditionRunner = {
    check: async () => ({ is: 'sound', topics: [] }),
    async evaluate() {
      shown.push(registry.get('hot')?.problem);
      return [results[evaluations++] ?? holds];
    },
    processCount: () => 0,
    close: async () => {},
  };
  const logs: LogLine[] = [];
  const logger = loggerInto(logs);
  const { mails, kinds } = noting();
  const registry = createAlertRegistry({
    clock: machineClock,
    logger,
    mails,
    statusStore: undefined,
    historyPerOwner: 10,
  });
  const source: TopicSource = {
    watch: () => () => {},
    isRead: () => false,
    hasViews: () => false,
    latest: () => undefined,
    latestAt: () => undefined,
    async mayRead() {
      if (unknown === 'rights') throw new Error('The master does not answer');
      return true;
    },
  };
  const readings = createTopicReadings(source, machineClock);
  const { limits } = readAlertOptions();
  let rounds = 0;
  let unknown: 'nothing' | 'owner' | 'applications' | 'rights' = 'nothing';
  const appIds = async () => {
    if (unknown === 'applications') throw new Error('The resource manager does not answer');
    return ['application_1_0001'];
  };
  const monitor = createAlertMonitor({
    registry,
    readings,
    snapshots: createSnapshots({ source, readings, appIds, limits }),
    history: createTopicHistory(limits),
    runner,
    principalOf(identity) {
      if (unknown === 'owner') throw new NotFound('user', identity.userName);
      return { userName: identity.userName, roles: [], permissions: new Set(), isAdmin: false, identity };
    },
    clock: machineClock,
    logger,
    everyMillis: 5,
    millisPerOwner: 250,
    onRound: () => rounds++,
  });
  t.teardown(() => monitor.close());
  registry.save(alert());
  monitor.start();
  const suspended = await until(
    async () => registry.get('hot'),
    (live) => /save it again/.test(live?.problem ?? ''),
  );
  t.equal(
    evaluations,
    results.length,
    'two in a row are none, and an evaluation that was skipped does not count',
  );
  t.strictSame(
    shown.map((problem) => problem ?? 'sound'),
    ['sound', stopped, stopped, 'sound', stopped, stopped, failed, stopped, stopped, stopped].map((one) =>
      typeof one === 'string' ? one : one.message,
    ),
  );
  t.match(suspended, {
    state: { is: 'active' },
    problem: 'It took too long, 3 times in a row: save it again to resume',
  });
  t.match(logs, [{ level: 'warn', fields: { alert: 'hot' } }]);
  const before = rounds;
  await until(
    async () => rounds,
    (count) => count > before + 3,
  );
  t.equal(evaluations, results.length, 'it is not evaluated any more');
  registry.save(alert({ savedAt: 2, topics: [['applications.', '']] }));
  await until(
    async () => kinds(),
    ({ length }) => length === 2,
  );
  const untilProblem = (isThere: boolean) =>
    until(
      async () => registry.get('hot')?.problem,
      (problem) => (problem !== undefined) === isThere,
    );
  for (const what of ['owner', 'applications', 'rights'] as const) {
    unknown = what;
    await untilProblem(true);
    unknown = 'nothing';
    await untilProblem(false);
  }
  t.strictSame(kinds(), ['triggered', 'triggered'], 'what is unknown for a while changes nothing');
});

t.test('only alerts of which something may be new are looked at in a round', async (t) => {
  const { mails, kinds } = noting();
  const { registry } = registryOf(mails);
  const thresholds = { calm: 0, on: 0, slow: 2000 };
  for (const [name, timeThresholdMillis] of Object.entries(thresholds))
    registry.save(alert({ name, timeThresholdMillis }));
  const all = registry.all();
  const [group] = alertGroups(all);
  const asked: unknown[] = [];
  const looked: string[] = [];
  let monotonic = 0;
  function round(...results: readonly ConditionResult[]): string {
    const moment = { now: 5000, monotonic };
    asked.push(group?.conditionsAt(moment).map(({ fieldsWhen = '' }) => fieldsWhen));
    group?.take(results, (live, result) => {
      looked.push(live.alert.name);
      if (result.is === 'evaluated')
        registry.take(live, { ...result, thresholdMillis: live.alert.timeThresholdMillis }, moment);
      else registry.take(live, { is: 'failed' }, moment);
    });
    monotonic += 1000;
    return looked.splice(0).join(' ');
  }
  const no: ConditionResult = { is: 'evaluated', holds: false, millis: 0 };
  const yes: ConditionResult = { is: 'evaluated', holds: true, millis: 0 };
  const broken: ConditionResult = { is: 'failed', message: 'It threw' };
  t.equal(round(no, yes, yes), 'calm on slow');
  t.equal(round(no, yes, yes), 'on slow', 'what became active, and what waits');
  t.equal(round(no, yes, yes), 'slow');
  t.equal(round(no, yes, yes), 'slow');
  t.equal(round(no, yes, yes), '');
  t.equal(round(yes, no, yes), 'calm on');
  t.equal(round(broken, no, yes), 'calm on');
  t.equal(round(broken, no, yes), 'calm', 'what failed stays in view');
  const first = [true, true, ''];
  const then = [true, false, ''];
  const later = [true, false, false];
  t.strictSame(asked.slice(0, 6), [first, then, [true, false, true], later, later, later]);
  t.equal(registry.all(), all);
  registry.remove('on');
  t.strictSame(
    registry.all().map(({ alert }) => alert.name),
    ['calm', 'slow'],
  );
  await registry.close();
  t.strictSame(kinds(), ['triggered', 'triggered', 'triggered', 'cleared']);
});

t.test('what others were told long ago is not taken for what is so now', async (t) => {
  const clock = { now: () => 0, monotonic: () => 100_000 };
  const latestAt = new Map([
    ['fresh', 70_000],
    ['old', 69_999],
  ]);
  const source: TopicSource = {
    watch: () => () => {},
    isRead: () => true,
    hasViews: () => false,
    latest: (name) => JSON.stringify(name),
    latestAt: (name) => latestAt.get(name),
    mayRead: async () => true,
  };
  const readings = createTopicReadings(source, clock);
  t.teardown(readings.close);
  readings.want(new Set(latestAt.keys()));
  const heard = readings.heard(60_000).then(() => 'heard');
  const first = await Promise.race([heard, immediate('still waiting')]);
  t.equal(first, 'still waiting', 'for the old one');
  t.equal(readings.of('fresh', anonymous), '"fresh"');
  t.equal(readings.of('old', anonymous), undefined);
});

t.test('what rounds saw is kept for an hour, within its characters', async (t) => {
  const { everyMillis, limits } = readAlertOptions();
  t.strictSame([everyMillis, limits.historyMillis], [5000, 3_600_000], 'by default');
  const history = createTopicHistory({ historyMillis: 1000, historyCharacters: 3000 });
  const see = (time: number, owner: string, text: string) =>
    history.record({ time, owner, topics: new Map([['room', text]]) });
  const times = (owner: string) => history.of(owner).map(({ time }) => time);
  for (let time = 0; time <= 5000; time += 250) see(time, time % 500 === 0 ? 'ada' : 'bob', 'the same');
  t.strictSame(times('ada'), [4000, 4500, 5000]);
  t.strictSame(times('bob'), [4250, 4750]);
  for (let time = 5001; time < 5010; time++) see(time, 'ada', `${time}`.repeat(250));
  t.strictSame(times('ada'), [5008, 5009], 'as many as there is room for');
  t.strictSame(times('bob'), []);
  see(5010, 'ada', 'x'.repeat(5000));
  t.strictSame(times('ada'), [], 'what is larger than all of it is not kept');

  const again = createTopicHistory({ historyMillis: 1000, historyCharacters: 3000 });
  const large = new Map([['gone', 'x'.repeat(2900)]]);
  again.record({ time: 0, owner: 'ada', topics: large });
  again.record({ time: 2000, owner: 'ada', topics: new Map([['room', '1']]) });
  again.record({ time: 2001, owner: 'ada', topics: large });
  t.strictSame(again.of('ada'), [], 'what nobody had any more counts when it comes back');
});
