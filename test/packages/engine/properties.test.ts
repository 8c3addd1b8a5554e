import t from 'tap';
import { InvalidInput, NotFound } from '../../../lib/index.js';
import { createMutex } from '../../../lib/runtime/mutex.js';
import { createAccess } from '../../../packages/engine/access/access.js';
import { Upcoming } from '../../../packages/engine/container/upcoming.js';
import { knownOperators } from '../../../packages/engine/operators/known-operators.js';
import { planOf } from '../../../packages/engine/plan/logical.js';
import { physicalPlanOf } from '../../../packages/engine/plan/physical-planner.js';
import {
  giveOwn,
  logicalChange,
  type PartitionProperties,
  type PlanProperties,
  type PropertyChange,
  partitionChange,
} from '../../../packages/engine/plan/property-change.js';
import { op, openCluster, stream } from '../../helpers/local-cluster.js';

// What follows from new properties, without anything that runs.

const registry = await knownOperators([])();
const access = createAccess({ folder: '/files', read: [], write: [], addresses: 'public' });

/** A ranking in two partitions, joined by a unifier that knows the property `length`, and a poll. */
function made(own: PartitionProperties = {}): PlanProperties {
  const end = (operatorName: string, portName: string) => ({ operatorName, portName });
  const plan = planOf(
    {
      operators: [
        { name: 'poll', class: 'headgate.io.HttpPoll', properties: { url: 'https://example.org' } },
        {
          name: 'top',
          class: 'headgate.aggregate.TopN',
          properties: { key: 'status', windows: 3 },
          attributes: { PARTITIONER: 2 },
        },
        { name: 'out', class: 'headgate.io.ConsoleOutput' },
      ],
      streams: [
        { source: end('poll', 'output'), sinks: [end('top', 'input')] },
        { source: end('top', 'output'), sinks: [end('out', 'input')] },
      ],
    },
    registry,
  );
  const physical = physicalPlanOf(plan, registry);
  return { plan, physical, own: giveOwn(physical, own, access) };
}

const idOf = ({ physical }: PlanProperties, key: string): string =>
  physical.operators.find((operator) => operator.key === key)?.id ?? '';
const unifierOf = ({ physical }: PlanProperties) =>
  physical.operators.find(({ isUnifier }) => isUnifier) ?? { id: '', key: '' };
const lengths = (change: PropertyChange) =>
  [...change.physical.values()].map((properties) => properties['length']);

t.test('an operator’s new value reaches its partitions and the unifier that knows it', async (t) => {
  const before = made();
  const change = logicalChange(before, 'top', { length: '3' }, access);
  t.strictSame(lengths(change), [3, 3, 3]);
  t.match(change.logical, { length: 3, windows: 3, key: 'status' });
  t.strictSame([...change.written], [['length', 3]]);
  t.strictSame(change.changed, ['length']);
  t.strictSame(change.own, {});
  const unifier = change.physical.get(unifierOf(before).id);
  t.strictSame(unifier, { length: 3 }, 'and nothing that it does not know');
  t.match(made().plan.operators[1]?.properties, { length: 10 }, 'nothing was changed yet');
});

t.test('a partition’s own value holds until all are given the same', async (t) => {
  const before = made({ 'top/1': { length: 5, windows: 7 }, 'gone/0': { length: 1 } });
  t.strictSame(before.own, { 'top/1': { length: 5, windows: 7 } }, 'what nobody has any more is dropped');
  t.match(before.physical.operators.find(({ key }) => key === 'top/1')?.properties, {
    length: 5,
    windows: 7,
  });

  const other = logicalChange(before, 'top', { key: 'url' }, access);
  t.strictSame(lengths(other), [10, 5, 10]);
  t.strictSame(other.own, before.own);
  const same = logicalChange(before, 'top', { length: 10 }, access);
  t.strictSame(lengths(same), [10, 10, 10]);
  t.strictSame(same.own, { 'top/1': { windows: 7 } });
  t.strictSame(same.changed, ['length'], 'a change for one partition is one');

  const id = idOf(before, 'top/1');
  const mine = partitionChange(before, id, { length: 6 }, access);
  t.strictSame([...mine.physical.keys()], [id]);
  t.match(mine.physical.get(id), { length: 6, windows: 7, key: 'status' });
  t.strictSame(mine.own, { 'top/1': { length: 6, windows: 7 } });
  t.equal(mine.written.size, 0);
  t.strictSame(partitionChange(before, id, { length: null, windows: null }, access).own, {});
  const unifier = unifierOf(before);
  t.strictSame(partitionChange(before, unifier.id, { length: 1 }, access).own, {
    ...before.own,
    [unifier.key]: { length: 1 },
  });
});

t.test('null is the default, or no value', async (t) => {
  const before = made();
  const reset = logicalChange(before, 'top', { windows: null, weight: null }, access);
  t.equal(reset.logical['windows'], 1);
  t.notOk('weight' in reset.logical);
  t.strictSame(
    [...reset.written],
    [
      ['windows', undefined],
      ['weight', undefined],
    ],
  );
  t.strictSame(reset.changed, ['windows']);
  t.throws(
    () => logicalChange(before, 'top', { key: null }, access),
    InvalidInput,
    'what is required is not',
  );
});

t.test('what does not fit is told with its place, all of it', async (t) => {
  const before = made({ 'top/0': { maxKeys: 5 } });
  const cases: [what: string, operator: string, values: Record<string, unknown>, places: string[]][] = [
    ['a value', 'top', { length: 0 }, ['body.length']],
    ['two values', 'top', { length: 'x', windows: 0 }, ['body.length', 'body.windows']],
    ['an expression', 'top', { key: '1 +' }, ['body.key']],
    ['another class', 'top', { class: 'headgate.io.Timer' }, ['body.class']],
    ['an address', 'poll', { url: 'http://127.0.0.1/' }, ['body.url']],
    ['no URL', 'poll', { url: 'nowhere' }, ['body.url']],
  ];
  for (const [what, operator, values, places] of cases) {
    const told = (change: () => unknown) => {
      try {
        change();
        return undefined;
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return (error.details as { path: string }[]).map(({ path }) => path);
      }
    };
    t.strictSame(
      told(() => logicalChange(before, operator, values, access)),
      places,
      what,
    );
    t.strictSame(
      told(() => partitionChange(before, idOf(before, `${operator}/0`), values, access)),
      places,
      `${what}, of one partition`,
    );
  }
  for (const name of ['no', 'constructor', '__proto__'])
    t.throws(
      () => logicalChange(before, 'top', Object.fromEntries([[name, 1]]), access),
      NotFound,
      `the property ${name}`,
    );
  t.throws(() => logicalChange(before, 'no', {}, access), NotFound);
  t.throws(() => partitionChange(before, '99', {}, access), NotFound);
  t.throws(() => made({ 'top/0': { length: 0 } }), InvalidInput, 'own values that no longer fit');
});

t.test('the class that was read along may be sent back', async (t) => {
  const change = logicalChange(made(), 'top', { class: 'headgate.aggregate.TopN', length: 2 }, access);
  t.strictSame(change.changed, ['length']);
});

t.test('only so many writes wait, and one that nobody waits for any more is not carried out', async (t) => {
  const cluster = await openCluster(t);
  const id = await cluster.launch({
    operators: [op('source', 'Sequence', { total: -1, perSecond: 100 }), op('totals', 'Totals')],
    streams: [stream('source.out -> totals.in')],
  });
  await cluster.reached(id, 'RUNNING');
  const { properties } = await cluster.driver.master(id);
  if (!properties) throw new Error('no properties');
  const given = new AbortController();
  const writes = Array.from({ length: 110 }, (_, slowMillis) =>
    properties.writeLogical('totals', { slowMillis: slowMillis / 1000 }, { signal: given.signal }),
  );
  const [first, ...rest] = writes;
  await first;
  given.abort(new Error('given up'));
  const settled = await Promise.allSettled(rest);
  const messages = settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  t.equal(messages.filter((text) => /100 changes of properties are waiting/.test(text)).length, 10);
  const abandoned = messages.filter((text) => /given up/.test(text)).length;
  t.ok(abandoned > 0);
  const last = rest.length - messages.length;
  t.match(
    await properties.readLogical('totals'),
    { slowMillis: last / 1000 },
    'the last that was carried out',
  );
});

t.test('what is upcoming is taken when its window comes, the newest only', async (t) => {
  const upcoming = new Upcoming<string>();
  t.equal(upcoming.take(1), undefined);
  upcoming.add(5, 'a');
  upcoming.add(7, 'b');
  upcoming.add(7, 'c');
  t.equal(upcoming.take(4), undefined);
  t.equal(upcoming.newest, 'c');
  t.equal(upcoming.take(6), 'a');
  t.equal(upcoming.take(6), undefined);
  t.equal(upcoming.take(9), 'c');
  t.equal(upcoming.newest, undefined);
});

t.test('turns come in order, and one that fails does not hold up the next', async (t) => {
  const inOrder = createMutex();
  const seen: string[] = [];
  const step = (name: string, fails = false) =>
    inOrder(async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const [one, two, three] = await Promise.allSettled([step('one'), step('two', true), step('three')]);
  t.match([one, two, three], [{ value: 'one' }, { reason: { message: 'two' } }, { value: 'three' }]);
  t.strictSame(seen, ['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});
