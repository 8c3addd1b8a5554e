import t from 'tap';
import { createOwnerBudgets } from '../../../../lib/features/system-alerts/conditions/owner-budgets.js';
import { createConditionRunner } from '../../../../lib/features/system-alerts/conditions/runner.js';
import { evaluationOrder } from '../../../../lib/features/system-alerts/evaluation-order.js';
import type { StoredAlert } from '../../../../lib/features/system-alerts/stored.js';
import { alertInput, isActive } from '../../../helpers/alerts.js';
import { loggerInto, newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { until } from '../../../helpers/waiting.js';

// What conditions of one owner may take of a round, and who has his turn when.

t.test('what an owner has spent', async (t) => {
  const clocks = { ran: 0, at: 0 };
  const budgets = createOwnerBudgets(
    { ownerMillis: 100, usedUp: ['eve'] },
    { ranMillis: () => clocks.ran, now: () => clocks.at },
  );
  const pass = (ran: number, at: number) => {
    clocks.ran += ran;
    clocks.at += at;
  };
  t.ok(budgets.isUsedUp('eve'), 'with another process');
  pass(60, 60);
  budgets.charge('ada');
  t.notOk(budgets.isUsedUp('ada'));
  pass(10, 500);
  budgets.charge('ada');
  t.notOk(budgets.isUsedUp('ada'), 'a busy machine is nobody’s fault');
  pass(500, 10);
  budgets.charge('ada');
  t.notOk(budgets.isUsedUp('ada'), 'other threads were at work');
  pass(20, 20);
  budgets.charge('ada');
  t.ok(budgets.isUsedUp('ada'));
  pass(5, 5);
  budgets.charge('bob', 100);
  t.ok(budgets.isUsedUp('bob'), 'what was stopped counts as its limit');
  pass(1000, 1000);
  budgets.charge(undefined);
  t.notOk(budgets.isUsedUp(undefined));
  t.notOk(budgets.isUsedUp('carol'));
  const unbound = createOwnerBudgets({}, { ranMillis: () => clocks.ran, now: () => clocks.at });
  pass(1e6, 1e6);
  unbound.charge('ada');
  t.notOk(unbound.isUsedUp('ada'));
});

t.test('who comes when', async (t) => {
  const live = (name: string, more: { stops?: number; waitsSince?: number; scope?: string[] } = {}) => {
    const [userName = ''] = name.split(' ');
    const { stops = 0, waitsSince, scope } = more;
    const alert: StoredAlert = {
      name,
      owner: { userName, ...(scope === undefined ? {} : { scope }) },
      condition: 'true',
      topics: [],
      email: '',
      description: '',
      timeThresholdMillis: 0,
      disabled: false,
      savedAt: 1,
    };
    return { alert, state: { is: 'inactive' } as const, problem: undefined, stops, waitsSince };
  };
  const order = (alerts: readonly ReturnType<typeof live>[], late: readonly string[] = []) =>
    evaluationOrder(alerts, (userName) => late.includes(userName)).flatMap(({ alerts }) =>
      alerts.map(({ alert }) => alert.name),
    );
  t.strictSame(order([live('b 1'), live('a 1'), live('b 2')]), ['b 1', 'b 2', 'a 1'], 'as they were saved');
  t.strictSame(
    order([live('a 1'), live('a 2', { waitsSince: 2 }), live('a 3', { waitsSince: 1 }), live('b 1')], ['a']),
    ['b 1', 'a 3', 'a 2', 'a 1'],
    'the owner who takes too much last, and of his the one that waits longest first',
  );
  t.strictSame(
    order([live('a 1'), live('a 2', { stops: 1 }), live('b 1', { waitsSince: 1 }), live('a 3')]),
    ['b 1', 'a 1', 'a 3', 'a 2'],
    'what was stopped',
  );
  t.strictSame(
    order([live('a 1', { waitsSince: 2 }), live('a 2', { waitsSince: 1, scope: ['X'] })], ['a']),
    ['a 2', 'a 1'],
    'tokens of the same owner',
  );
  t.strictSame(order([live('a 1', { stops: 3 })]), [], 'what is suspended');
});

/** Some milliseconds of processor time. */
const busy = (mark: string, holds = true) =>
  `let n = 0; for (let i = 0; i < 4e6; i++) n += i % 7; "${mark}" === "" || n > 0 === ${holds}`;

t.test('conditions of one owner, whatever brought them, leave time for others', async (t) => {
  const logs: Parameters<typeof loggerInto>[0] = [];
  const runner = createConditionRunner({ limitMillis: 5000, heapMB: 32 }, loggerInto(logs));
  t.teardown(() => runner.close());
  const topics = new Map<string, string>();
  const kinds = async (...snapshots: readonly [owner: string, ...scripts: string[]][]) => {
    const results = await runner.evaluate({
      snapshots: snapshots.map(([owner, ...scripts]) => ({
        topics,
        owner,
        conditions: scripts.map((script) => ({ script })),
      })),
      ownerMillis: 30,
    });
    return results.map((result) => (result.is === 'skipped' ? result.because : result.is));
  };
  const many = Array.from({ length: 50 }, (_, index) => busy(`${index}`));
  for (const round of [1, 2]) {
    const all = await kinds(['ada', ...many], ['bob', 'true'], ['ada', 'true']);
    t.equal(all[0], 'evaluated', `round ${round}`);
    t.strictSame(all.slice(49), ['owner', 'evaluated', 'owner'], 'also with another token');
  }
  t.strictSame(
    await runner
      .evaluate({ snapshots: [{ topics, conditions: many.map((script) => ({ script })) }] })
      .then((results) => results.filter(({ is }) => is !== 'evaluated')),
    [],
    'who is nobody’s has no bound',
  );

  const bomb = (mark: string) => `const all = ["${mark}"]; for (;;) all.push({ member: all.length }); true`;
  t.strictSame(
    await kinds(['eve', 'true', bomb('1'), bomb('2'), 'true'], ['bob', 'true'], ['eve', bomb('3')]),
    ['evaluated', 'stopped', 'owner', 'owner', 'evaluated', 'owner'],
  );
  t.equal(logs.length, 1, 'one owner ends one process in a round');
});

t.test('an owner’s alerts have their turn over several rounds', async (t) => {
  const { newClient, logs } = await newGateway(t, {
    auth: people,
    alerts: { everyMillis: 100, limits: { millisPerOwner: 1 } },
  });
  const ada = newClient(as('ada', 'developer'));
  const bob = newClient(as('bob', 'developer'));
  const names = Array.from({ length: 20 }, (_, index) => `busy ${index}`);
  for (const name of names) await ada.putAlert({ params: { name }, body: alertInput(busy(name, false)) });
  await until(
    () => ada.listAlerts(),
    ({ alerts }) =>
      alerts.some(({ alertStatus }) => /waits for its turn.*of ada.*1 ms/.test(alertStatus.message)),
  );
  await bob.putAlert({ params: { name: 'of bob' }, body: alertInput('true') });
  await until(() => bob.getAlert({ params: { name: 'of bob' } }), isActive);
  for (const name of names) await ada.putAlert({ params: { name }, body: alertInput(busy(name)) });
  await until(
    () => ada.listAlerts(),
    ({ alerts }) => alerts.every(isActive),
  );
  t.match(
    logs.filter(({ message }) => message.startsWith('conditions of an owner take more')),
    [{ level: 'warn', fields: { owner: 'ada', millisPerOwner: 1 } }],
    'said once',
  );
  for (const name of names) await ada.deleteAlert({ params: { name } });
});
