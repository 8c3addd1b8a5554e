import t from 'tap';
import { withOwnChanges } from '../../../packages/yarn/facets/partition-changes.js';
import { kindOfDeclared, kindOfRecorded } from '../../../packages/yarn/facets/property-kinds.js';
import { partOf, propertyPathOf, withPart } from '../../../packages/yarn/facets/property-paths.js';
import { until } from '../../helpers/waiting.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// The engine sets 0 where a number is none, and refuses every change of the plan from then on; of names that there are
// not it says nothing. Both are found out before.

t.test('what a recorded value tells of its kind', async (t) => {
  const fits = (recorded: unknown, value: unknown) => kindOfRecorded(recorded)?.fits(value) ?? true;
  for (const good of [0, '7', ' -7 ', '+7', '9223372036854775807']) t.equal(fits('10', good), true);
  for (const bad of ['', 'many', 1.5, '1.5', '1e3', true, '9223372036854775808', [1], null])
    t.equal(fits('10', bad), false, `${bad}`);
  for (const ratio of ['2.0', '1e-3']) {
    for (const good of [1, '1.5', '1e3']) t.equal(fits(ratio, good), true);
    for (const bad of ['', 'x', 'NaN', false]) t.equal(fits(ratio, bad), false, `${bad}`);
  }
  t.same(
    [true, 'TRUE', 'false', 'yes', 1].map((value) => fits(false, value)),
    [true, true, true, false, false],
  );
  for (const whole of [['a'], { a: 1 }, null, 'CALM', 'TWO_WORDS'])
    t.equal(fits(whole, 'any'), false, `${JSON.stringify(whole)}: it may be what the engine can't set`);
  t.equal(fits('some text', 'any'), true);
});

t.test('what a declaration tells', async (t) => {
  const declared = (type: string, uiType = '', itemType?: unknown) =>
    kindOfDeclared({ name: 'x', canGet: true, canSet: true, type, uiType, itemType });
  for (const [type, good, bad] of [
    ['int', '2147483647', '2147483648'],
    ['java.lang.Integer', 1, 'x'],
    ['long', '2147483648', '9223372036854775808'],
    ['short', '-32768', 32768],
    ['byte', 127, 128],
    ['double', '1.5', 'x'],
    ['boolean', 'true', 1],
  ] as const) {
    t.equal(declared(type)?.fits(good), true, type);
    t.equal(declared(type)?.fits(bad), false, type);
  }
  for (const type of ['', 'T', 'char', 'java.lang.String', 'java.net.URI', 'java.math.BigDecimal'])
    t.equal(declared(type), undefined, type);
  t.equal(declared('java.lang.String', '', { type: 'java.lang.String' }), undefined, 'an array');
  for (const [type, uiType] of [
    ['java.util.List', 'List'],
    ['java.util.Map', 'Map'],
    ['org.example.Mode', 'Enum'],
    ['org.example.Range', ''],
  ] as const)
    t.equal(declared(type, uiType)?.fits('any'), false, type);
});

t.test('paths into properties', async (t) => {
  t.same(propertyPathOf('limit'), { head: 'limit', parts: [] });
  t.same(propertyPathOf('named(a.b).ranges[12].low'), {
    head: 'named',
    parts: ['a.b', 'ranges', '12', 'low'],
  });
  for (const name of ['range.', 'ranges[x]', 'ranges[1', '.low', ''])
    t.same(propertyPathOf(name).parts, [], name);
  const value = { ranges: [{ low: 1 }, { low: 2 }], '0': 3 };
  t.equal(partOf(value, ['ranges', '1', 'low']), 2);
  for (const parts of [['nix'], ['ranges', '2'], ['ranges', 'length', 'x'], ['constructor'], ['0', 'x']])
    t.equal(partOf(value, parts), undefined, parts.join());
  t.same(withPart(value, ['ranges', '1', 'low'], 5), { ranges: [{ low: 1 }, { low: 5 }], '0': 3 });
  t.equal(withPart(value, ['nix', 'x'], 5), value);
});

t.test('what one partition was given', async (t) => {
  const all = (propertyName: string) => ({
    type: 'SetOperatorProperty',
    data: { operatorName: 'rand', propertyName, propertyValue: '9' },
  });
  const one = (propertyName: string, propertyValue: string, operatorId = '1') => ({
    type: 'SetPhysicalOperatorProperty',
    data: { operatorName: 'rand', operatorId, propertyName, propertyValue },
  });
  const of = { id: '1', logicalName: 'rand' };
  const recorded = { a: '1', b: '2', range: { low: '3' } };
  const changes = [one('a', '5'), one('b', '6'), all('b'), one('range.low', '7'), one('a', '8', '2')];
  t.same(withOwnChanges(recorded, [...changes, one('nix', '1')], of), {
    ...{ a: '5', b: '2' },
    range: { low: '7' },
  });
});

const refused = (message: RegExp) => ({ status: 400, code: 'INVALID_INPUT', message });

t.test('changes of running operators', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { application } = pipeline();
  const [rand, ...others] = application.operators;
  if (!rand) throw new Error('no operator');
  const operators = [{ ...rand, properties: { ratio: 2.5, tags: ['a'] } }, ...others];
  const app = await double.run(pipeline({ application: { ...application, operators } }));
  const logical = { appid: app.id, opName: 'rand' };
  const physical = { appid: app.id, opid: '1' };
  const set = (body: Record<string, unknown>) => client.setOperatorProperties({ params: logical, body });
  await t.rejects(set({ tuplesBlast: 'many' }), refused(/body\.tuplesBlast: expected an integer/));
  await t.rejects(set({ tuplesBlast: '1.5' }), refused(/integer/));
  await t.rejects(set({ tuplesBlast: '3000000000' }), refused(/integer of 32 bits/), 'as its class declares');
  await t.rejects(set({ ratio: 'x' }), refused(/ratio: expected a number/));
  await t.rejects(set({ quiet: 'yes' }), refused(/true or false/));
  await t.rejects(set({ tags: 7 }), refused(/tags: expected no value: the engine can't set a list/));
  await t.rejects(set({ tuplesBlast: 1, nix: 2 }), { status: 404, message: /"nix".*tuplesBlast/ } as never);
  await t.rejects(
    client.setPhysicalOperatorProperties({ params: physical, body: { tuplesBlast: 'many' } }),
    refused(/integer/),
  );
  const live = () => client.getPhysicalOperatorProperties({ params: physical, query: { live: true } });
  await set({ tuplesBlast: '12', ratio: '0.5', quiet: 'true', label: 'any text' });
  await client.setPhysicalOperatorProperties({ params: physical, body: { tuplesBlast: 14 } });
  t.match(await client.getOperatorProperties({ params: logical }), { tuplesBlast: '12' });
  t.match(
    await client.getPhysicalOperatorProperties({ params: physical }),
    { tuplesBlast: '14', ratio: '0.5', quiet: true, label: 'any text' },
    'what this partition was given',
  );
  t.match(
    await client.getPhysicalOperatorProperties({ params: { ...physical, opid: '2' } }),
    { tuplesBlast: '10' },
    'and no other one',
  );
  t.equal(app.liveReads, 0, 'no container was asked');
  await t.rejects(live(), { status: 409, message: /tags/ } as never);
});

// An operator as most are: with beans inside that can't be sent by Java's serialization.

const beansApplication = () =>
  pipeline({
    application: { operators: [{ name: 'beans', class: 'com.example.Beans' }], streams: [] },
  });

t.test(
  'an operator with beans, lists, maps and enums inside: no change and no reading ends it',
  async (t) => {
    const { client, double } = await yarnGateway(t);
    const app = await double.run(beansApplication());
    const logical = { appid: app.id, opName: 'beans' };
    const physical = { appid: app.id, opid: '1' };
    const container = app.operators[0]?.container;
    const set = (body: Record<string, unknown>) => client.setOperatorProperties({ params: logical, body });
    await set({
      limit: 20,
      ratio: 2,
      label: 'new',
      'range.low': 5,
      'ranges[0].high': '7',
      'named(first).low': 3,
    });
    t.match(await client.getOperatorProperties({ params: logical }), {
      ...{ limit: '20', label: 'new', range: { low: '5', high: '9' } },
      ...{ ranges: [{ high: '7' }], named: { first: { low: '3' } } },
    });
    await client.setPhysicalOperatorProperties({ params: physical, body: { limit: 21, 'range.high': 8 } });
    t.match(await client.getPhysicalOperatorProperties({ params: physical }), {
      ...{ limit: '21', label: 'new', range: { low: '5', high: '8' } },
    });
    for (const [body, message] of [
      [{ mode: 'WILD' }, /can't set an enum/],
      [{ range: { low: 1 } }, /object of the class com\.example\.Beans\$Range.*only parts/],
      [{ ranges: '[]' }, /can't set a list/],
      [{ named: {} }, /can't set a map/],
      [{ 'range.mode': 'WILD' }, /can't set an enum/],
      [{ 'range.low': 'x' }, /expected an integer/],
      [{ 'range.nix': 1 }, /no such part of range/],
      [{ 'ranges[9].low': 1 }, /no such part/],
      [{ count: 5 }, /count: it can be read only: its class has no setter/],
    ] as const) {
      await t.rejects(set(body), refused(message), JSON.stringify(body));
      await t.rejects(
        client.setPhysicalOperatorProperties({ params: physical, body }),
        refused(message),
        `${JSON.stringify(body)} of one partition`,
      );
    }
    const live = (propertyName?: string) =>
      client.getPhysicalOperatorProperties({
        params: physical,
        query: { live: true, ...(propertyName === undefined ? {} : { propertyName }) },
      });
    await t.rejects(live(), { status: 409, message: /mode|range/ } as never, 'all of them would end it');
    await t.rejects(live('ranges'), { status: 409, code: 'PROPERTY_NOT_READABLE' });
    await t.rejects(live('nix'), { status: 404, code: 'NOT_FOUND' });
    t.same(await live('limit'), { limit: 21 }, 'one that is a number is asked for');
    t.equal(app.operators[0]?.container, container, 'its container lives');
    t.equal(app.operators[0]?.failureCount, 0);
    t.same(app.poison, [], 'nothing was written down that a later master fails at');
  },
);

t.test('where nobody can tell what a class declares, nothing is risked', async (t) => {
  const { client, double } = await yarnGateway(t);
  const app = await double.run(beansApplication());
  app.hidesClasses = true;
  const params = { appid: app.id, opName: 'beans' };
  const set = (body: Record<string, unknown>) => client.setOperatorProperties({ params, body });
  await set({ limit: 20, broken: 'false' });
  for (const body of [{ limit: 'x' }, { mode: 'WILD' }, { range: {} }, { ranges: [] }])
    await t.rejects(set(body), refused(/expected/), JSON.stringify(body));
  const query = { live: true, propertyName: 'limit' };
  await t.rejects(client.getPhysicalOperatorProperties({ params: { ...params, opid: '1' }, query }), {
    status: 409,
    code: 'PROPERTY_NOT_READABLE',
  });
  t.same(app.poison, []);
});

t.test(
  'an operator that fails again and again is repaired, and one that is stuck hides nothing',
  async (t) => {
    const { client, double } = await yarnGateway(t);
    const app = await double.run(beansApplication());
    const logical = { appid: app.id, opName: 'beans' };
    const physical = { appid: app.id, opid: '1' };
    const failures = () => app.operators[0]?.failureCount ?? 0;
    await client.setOperatorProperties({ params: logical, body: { broken: true } });
    await until(
      async () => failures(),
      (count) => count >= 3,
    );
    await client.setOperatorProperties({ params: logical, body: { broken: false } });
    await until(
      async () => app.operators[0]?.status,
      (status) => status === 'ACTIVE',
    );

    const [operator] = app.operators;
    if (operator) operator.isSilent = true;
    // One that the master answers when it has given up the container, and one that it does not answer in time.
    const stuck = ['limit', 'broken'].map((propertyName) =>
      client.getPhysicalOperatorProperties({ params: physical, query: { live: true, propertyName } }),
    );
    // All connections of that kind, and nothing else, wait.
    const others = Promise.all([
      client.getPhysicalPlan({ params: logical }),
      client.setOperatorProperties({ params: logical, body: { limit: 30 } }),
    ]);
    const ended = Promise.allSettled(stuck).then(() => 'stuck');
    t.equal(await Promise.race([ended, others.then(() => 'others')]), 'others');
    for (const question of stuck)
      await t.rejects(
        question,
        { status: 504, code: 'TIMED_OUT', message: /The operator beans \(1\)/ },
        'the operator, and not its master',
      );
    t.equal((await client.getPhysicalPlan({ params: logical })).operators.length, 1, 'at once');
    t.match(await client.getOperatorProperties({ params: logical }), { limit: '30' });
  },
);

t.test('properties in a change of the plan', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { id } = await double.run(pipeline());
  const create = {
    requestType: 'CreateOperatorRequest',
    operatorName: 'more',
    operatorFQCN: 'com.example.Console',
  } as const;
  const set = (propertyName: string, propertyValue: string, operatorName = 'more') =>
    ({ requestType: 'SetOperatorPropertyRequest', operatorName, propertyName, propertyValue }) as const;
  const change = (...requests: (typeof create | ReturnType<typeof set>)[]) =>
    client.changeLogicalPlan({ params: { appid: id }, body: { requests } });
  await t.rejects(change(create, set('nix', '1')), {
    status: 400,
    message: /requests\.1\.propertyName.*"nix".*tuplesBlast, quiet, label$/,
  } as never);
  await t.rejects(change(create, set('tuplesBlast', 'many')), {
    status: 400,
    message: /requests\.1\.propertyValue: expected an integer of 32 bits/,
  } as never);
  await t.rejects(change(set('tuplesBlast', '1', 'rand')), {
    status: 400,
    message: /rand runs already.*logicalPlan\/operators\/rand\/properties/,
  } as never);
  t.equal(
    (await client.getLogicalPlan({ params: { appid: id } })).operators.length,
    2,
    'nothing was changed',
  );
  await change(create, set('tuplesBlast', '5'));
  t.match(await client.getOperatorProperties({ params: { appid: id, opName: 'more' } }), {
    tuplesBlast: '5',
  });
});
