import t from 'tap';
import { kindOfType, kindsIn } from '../../adapters/cluster/yarn/facets/property-kinds.js';
import { pipeline, yarnGateway } from '../helpers/yarn.js';

// The engine sets 0 where a number is none, and refuses every change of the plan from then on; of names that there are
// not it says nothing. Both are found out before.

t.test('what a value tells of its kind', async (t) => {
  const live =
    '{"count":10,"ratio":2.0,"tiny":1e-3,"quiet":false,"label":"x","nothing":null,"list":[1],"o":{"a":1}}';
  const kinds = kindsIn(live);
  const fits = (name: string, value: unknown) => kinds.get(name)?.fits(value);
  for (const good of [0, '7', ' -7 ', '+7', '9223372036854775807']) t.equal(fits('count', good), true);
  for (const bad of ['', 'many', 1.5, '1.5', '1e3', true, '9223372036854775808', [1]])
    t.equal(fits('count', bad), false, `${bad}`);
  for (const name of ['ratio', 'tiny']) {
    for (const good of [1, '1.5', '1e3']) t.equal(fits(name, good), true);
    for (const bad of ['', 'x', 'NaN', false]) t.equal(fits(name, bad), false, `${bad}`);
  }
  t.same(
    [true, 'TRUE', 'false', 'yes', 1].map((value) => fits('quiet', value)),
    [true, true, true, false, false],
  );
  t.same(
    [['a'], 'a,b', 3].map((value) => fits('list', value)),
    [true, true, false],
  );
  t.same(
    [{}, '{}', true].map((value) => fits('o', value)),
    [true, true, false],
  );
  t.same(
    [kinds.has('label'), kinds.has('nothing')],
    [false, false],
    'text takes anything; null tells nothing',
  );
});

t.test('what a declaration tells', async (t) => {
  for (const [type, good, bad] of [
    ['int', '2147483647', '2147483648'],
    ['java.lang.Integer', 1, 'x'],
    ['long', '2147483648', '9223372036854775808'],
    ['short', '-32768', 32768],
    ['byte', 127, 128],
    ['double', '1.5', 'x'],
    ['boolean', 'true', 1],
  ] as const) {
    t.equal(kindOfType(type)?.fits(good), true, type);
    t.equal(kindOfType(type)?.fits(bad), false, type);
  }
  t.equal(kindOfType('java.lang.String'), undefined);
});

t.test('changes of running operators', async (t) => {
  const { client, double } = await yarnGateway(t);
  const { application } = pipeline();
  const [rand, ...others] = application.operators;
  if (!rand) throw new Error('no operator');
  const operators = [{ ...rand, properties: { ratio: 2, tags: ['a'] } }, ...others];
  const app = await double.run(pipeline({ application: { ...application, operators } }));
  const logical = { appid: app.id, opName: 'rand' };
  const physical = { appid: app.id, opid: '1' };
  const set = (body: Record<string, unknown>) => client.setOperatorProperties({ params: logical, body });
  const refused = (message: RegExp) => ({ status: 400, code: 'INVALID_INPUT', message });
  await t.rejects(set({ tuplesBlast: 'many' }), refused(/body\.tuplesBlast: expected an integer/));
  await t.rejects(set({ tuplesBlast: '1.5' }), refused(/integer/));
  await t.rejects(set({ tuplesBlast: '3000000000' }), refused(/integer of 32 bits/), 'as its class declares');
  await t.rejects(set({ ratio: 'x' }), refused(/ratio: expected a number/));
  await t.rejects(set({ quiet: 'yes' }), refused(/true or false/));
  await t.rejects(set({ tags: 7 }), refused(/a list/));
  await t.rejects(set({ tuplesBlast: 1, nix: 2 }), { status: 404, message: /"nix".*tuplesBlast/ } as never);
  await t.rejects(
    client.setPhysicalOperatorProperties({ params: physical, body: { tuplesBlast: 'many' } }),
    refused(/integer/),
  );
  t.match(await client.getPhysicalOperatorProperties({ params: physical }), { tuplesBlast: 10, ratio: 2 });
  await set({ tuplesBlast: '12', ratio: '0.5', quiet: 'true', label: 'any text' });
  t.match(await client.getPhysicalOperatorProperties({ params: physical }), {
    tuplesBlast: 12,
    ratio: 0.5,
    quiet: true,
    label: 'any text',
  });

  const [operator] = app.operators;
  if (operator) operator.isSilent = true;
  await t.rejects(
    set({ tuplesBlast: 'many' }),
    refused(/integer/),
    'its class tells when the container is silent',
  );
  await set({ tuplesBlast: 13 });
  t.match(await client.getOperatorProperties({ params: logical }), { tuplesBlast: '13' });
});

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
    message: /requests\.1\.propertyName.*"nix".*tuplesBlast, quiet$/,
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
