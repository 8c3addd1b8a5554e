import t from 'tap';
import { engineAttributes } from '../../../../lib/definitions/attributes.js';
import type { DefinitionKnowledge } from '../../../../lib/definitions/knowledge.js';
import { engineKey, propertyTargetOf } from '../../../../lib/definitions/property-keys.js';
import { type JsonApplication, withProperties } from '../../../../lib/driver-kit.js';
import {
  forDriver,
  launchProperties,
  type PropertySources,
} from '../../../../lib/features/launching/properties.js';
import { BadRequest } from '../../../../lib/index.js';

// Which properties are in force at a launch, and what they change in a definition.

const layer = (properties: Readonly<Record<string, string | null>>) =>
  Object.entries(properties).map(([name, value]) => (value === null ? { name } : { name, value }));

t.test('keys say what they set, however they begin', async (t) => {
  const table: readonly [key: string, target: object | undefined][] = [
    ['platform.attr.DEBUG', { kind: 'application-attribute', attribute: 'DEBUG' }],
    ['dt.attr.com.acme.DEBUG', { kind: 'application-attribute', attribute: 'DEBUG' }],
    ['apex.operator.a.prop.x', { kind: 'operator-property', operator: 'a', path: ['x'] }],
    ['apex.operator.a.x', { kind: 'operator-property', operator: 'a', path: ['x'] }],
    ['apex.operator.*.prop.x.y', { kind: 'operator-property', operator: '*', path: ['x', 'y'] }],
    ['apex.operator.a.attr.MEMORY_MB', { kind: 'operator-attribute', operator: 'a', attribute: 'MEMORY_MB' }],
    ...(['port', 'inputport', 'outputport'] as const).map((kind): [string, object] => [
      `apex.operator.a.${kind}.p.attr.Q`,
      {
        kind: 'port-attribute',
        operator: 'a',
        port: 'p',
        direction: { port: 'any', inputport: 'input', outputport: 'output' }[kind],
        attribute: 'Q',
      },
    ]),
    ['apex.stream.s.locality', { kind: 'stream-locality', stream: 's' }],
    [
      'apex.application.words.attr.DEBUG',
      { kind: 'application-attribute', attribute: 'DEBUG', application: 'words' },
    ],
    ['apex.application.*.stream.s.locality', { kind: 'stream-locality', stream: 's' }],
    ['operator.a.prop.x', undefined],
    ['fs.defaultFS', undefined],
    ['apex.attr', undefined],
    ['apex.operator.a', undefined],
    ['apex.operator.a.prop', undefined],
    ['apex.operator.a.attr', undefined],
    ['apex.operator.a.port.p.Q', undefined],
    ['apex.operator.a.outputport.p.unifier.attr.Q', undefined],
    ['apex.operator.a.template', undefined],
    ['apex.stream.s.source', undefined],
    ['apex.application.words', undefined],
    ['apex.template.t.prop.x', undefined],
    ['apex..', undefined],
  ];
  for (const [key, target] of table) t.strictSame(propertyTargetOf(key), target, key);
  t.equal(engineKey('dt.attr.X'), engineKey('platform.attr.X'));
  t.not(engineKey('data.attr.X'), engineKey('attr.X'));
});

t.test('the strongest that sets a property wins', async (t) => {
  const orders: readonly (keyof PropertySources)[] = [
    'launch',
    'config',
    'configPackage',
    'userSite',
    'application',
    'package',
    'localSite',
    'globalSite',
  ];
  const from = (name: keyof PropertySources): PropertySources => {
    const properties = { 'dt.attr.X': name };
    if (name === 'launch') return { launch: properties };
    if (name === 'configPackage') return { configPackage: { application: properties, all: {} } };
    return { [name]: layer(properties) };
  };
  for (const [index, source] of orders.entries()) {
    const sources = Object.assign({}, ...orders.slice(index).map(from));
    t.strictSame(launchProperties(sources).effective, [{ name: 'dt.attr.X', value: source, source }]);
  }
  const configPackage = {
    all: { 'dt.attr.X': 'all', 'dt.attr.Y': 'all' },
    application: { 'apex.attr.X': 'one' },
  };
  t.strictSame(
    launchProperties({ configPackage }).effective.map(({ value }) => value),
    ['one', 'all'],
    'its file for the application over its general one',
  );
});

t.test('one key in three spellings is one property', async (t) => {
  const found = launchProperties({
    launch: { 'platform.attr.X': '1' },
    config: layer({ 'apex.attr.X': '2', 'apex.attr.Y': '2' }),
    package: layer({ 'dt.attr.X': '3', 'dt.attr.Y': '3', 'other.z': '3' }),
  });
  t.strictSame(forDriver(found), {
    properties: { 'platform.attr.X': '1' },
    defaults: { 'apex.attr.Y': '2', 'other.z': '3' },
    spellings: ['dt.attr.X', 'dt.attr.Y', 'other.z'],
  });
});

t.test('what is required and was not given is named, sorted', async (t) => {
  const packaged = layer({ 'dt.b': null, 'dt.a': null, 'dt.c': '1', 'dt.d': null });
  const missing = (sources: PropertySources) => launchProperties({ package: packaged, ...sources }).missing;
  t.strictSame(missing({}), ['dt.a', 'dt.b', 'dt.d']);
  t.strictSame(missing({ launch: { 'platform.a': '' } }), ['dt.b', 'dt.d'], 'an empty value is one');
  t.strictSame(missing({ application: layer({ 'apex.b': '2', 'dt.c': null }) }), ['dt.a', 'dt.c', 'dt.d']);
  t.strictSame(missing({ config: layer({ 'dt.a': '1', 'dt.b': '1', 'dt.d': null }) }), ['dt.d']);
  t.strictSame(
    missing({ globalSite: layer({ 'dt.a': '1' }) }),
    ['dt.a', 'dt.b', 'dt.d'],
    'weaker ones do not give',
  );
});

const port = (name: string) => ({ name, optional: true });
const knowledge: DefinitionKnowledge = {
  classOf: (name) =>
    name === 'Known'
      ? { inputs: [port('in')], outputs: [port('out')], properties: new Set(['x', 'nested']) }
      : undefined,
  unknownClass: () => undefined,
  attributes: engineAttributes,
};
const application = (): JsonApplication => ({
  operators: [
    { name: 'a', class: 'Known', properties: { x: 'defined' } },
    { name: 'b', class: 'Other', ports: [{ name: 'p' }] },
  ],
  streams: [
    {
      source: { operatorName: 'a', portName: 'out' },
      sinks: [{ operatorName: 'b', portName: 'p' }],
    },
  ],
});
const applied = (
  properties: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
) => withProperties(application(), { name: 'words', properties, defaults }, knowledge);

t.test('the more special key wins, whichever layer it comes from', async (t) => {
  const x = (...args: Parameters<typeof applied>) => applied(...args).operators[0]?.properties?.['x'];
  t.equal(x({}), 'defined');
  t.equal(x({ 'dt.operator.*.prop.x': 'all' }), 'all');
  t.equal(x({ 'dt.operator.*.prop.x': 'all' }, { 'dt.operator.a.prop.x': 'one' }), 'one');
  t.equal(x({ 'dt.operator.a.prop.x': 'one' }, { 'dt.application.words.operator.*.prop.x': 'here' }), 'here');
  t.equal(x({ 'dt.application.other.operator.a.prop.x': 'there' }), 'defined');
  t.equal(x({ 'platform.operator.a.prop.x': '1' }, { 'dt.operator.a.prop.x': '2' }), '1');

  const capacity = (properties: Record<string, string>) =>
    applied(properties).operators[0]?.ports?.map(({ name, attributes }) => [
      name,
      attributes?.['QUEUE_CAPACITY'],
    ]);
  t.strictSame(capacity({ 'dt.attr.QUEUE_CAPACITY': '1' }), [
    ['in', '1'],
    ['out', '1'],
  ]);
  t.strictSame(capacity({ 'dt.operator.a.attr.QUEUE_CAPACITY': '2' }), [
    ['in', '2'],
    ['out', '2'],
  ]);
  t.strictSame(
    capacity({
      'dt.operator.*.inputport.*.attr.QUEUE_CAPACITY': '3',
      'dt.operator.a.port.in.attr.QUEUE_CAPACITY': '4',
      'dt.operator.a.outputport.out.attr.QUEUE_CAPACITY': '5',
    }),
    [
      ['in', '3'],
      ['out', '5'],
    ],
    'a direction goes over a name',
  );
});

t.test('attributes go where they belong', async (t) => {
  const { attributes, operators, streams } = applied({
    'apex.attr.DEBUG': 'true',
    'apex.attr.VCORES': '2',
    'apex.operator.b.attr.MEMORY_MB': '64',
    'apex.operator.b.port.p.attr.AUTO_RECORD': 'true',
    'apex.stream.stream-0.locality': 'THREAD_LOCAL',
    'apex.operator.a.prop.nested.deep.er': 'v',
  });
  t.strictSame(attributes, { DEBUG: 'true' });
  t.strictSame(
    operators.map((operator) => operator.attributes),
    [{ VCORES: '2' }, { VCORES: '2', MEMORY_MB: '64' }],
  );
  t.strictSame(operators[1]?.ports, [{ name: 'p', attributes: { AUTO_RECORD: 'true' } }]);
  t.equal(streams[0]?.locality, 'THREAD_LOCAL');
  t.strictSame(operators[0]?.properties, { x: 'defined', nested: { deep: { er: 'v' } } });
  t.equal(applied({ 'apex.stream.*.locality': 'RACK_LOCAL' }).streams[0]?.locality, 'RACK_LOCAL');
});

t.test('keys that mean nothing are named, all of them, unless a weaker layer brings them', async (t) => {
  const odd = {
    'fs.defaultFS': 'x',
    'dt.operator.nobody.prop.x': 'x',
    'dt.operator.a.prop.y': 'x',
    'dt.operator.*.attr.NOTHING': 'x',
    'dt.operator.a.port.q.attr.AUTO_RECORD': 'x',
    'dt.stream.s.locality': 'THREAD_LOCAL',
    'dt.stream.stream-0.locality': 'NEAR',
    'dt.attr.NOTHING': 'x',
    'dt.template.t.prop.x': 'x',
  };
  try {
    applied(odd);
    t.fail('nothing was refused');
  } catch (error) {
    t.ok(error instanceof BadRequest);
    if (!(error instanceof BadRequest)) return;
    t.match(error.message, /^The launch property .*; and 4 more$/);
    for (const key of Object.keys(odd)) t.match(JSON.stringify(error.details), JSON.stringify(key), key);
  }
  t.strictSame(applied({}, odd), application());
  t.doesNotThrow(() => applied({ 'dt.operator.*.prop.y': '1' }), 'nobody knows what the other class has');
  applied({ 'dt.operator.b.prop.__proto__.polluted': 'yes' }, {});
  t.notOk('polluted' in {}, 'prototypes are out of reach');
});

t.test('keys for all operators are bounded by what they set, and refused before it is set', async (t) => {
  const anything: DefinitionKnowledge = { classOf: () => undefined, unknownClass: () => undefined };
  const of = (operators: number, streams = 0): JsonApplication => ({
    operators: Array.from({ length: operators }, (_, i) => ({ name: `o${i}`, class: 'x.Y' })),
    streams: Array.from({ length: streams }, (_, i) => ({
      name: `s${i}`,
      source: { operatorName: 'o0', portName: 'out' },
      sinks: [{ operatorName: 'o1', portName: 'in' }],
    })),
  });
  const keys = (count: number, key: (index: number) => string, value = 'x') =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [key(i), value]));
  const apply = (application: JsonApplication, properties: Readonly<Record<string, string>>) => {
    const before = process.cpuUsage();
    try {
      return withProperties(application, { name: 'a', properties }, anything);
    } finally {
      const { user, system } = process.cpuUsage(before);
      t.ok((user + system) / 1000 < 1000, `${(user + system) / 1000} ms`);
    }
  };
  t.throws(
    () =>
      apply(
        of(1000),
        keys(2000, (i) => `dt.operator.*.prop.key${i}`),
      ),
    new BadRequest(
      'LAUNCH_PROPERTY_REFUSED',
      'The launch properties would be set in 2000000 places of the application, more than 10000: name operators and streams instead of *, and set less within objects',
    ),
  );
  t.throws(
    () =>
      apply(
        of(2),
        keys(1, () => `dt.operator.o0.prop.${'a.'.repeat(100_000)}b`),
      ),
    /levels deep/,
  );
  const many = apply(of(1000, 5000), {
    ...keys(1000, (i) => `dt.operator.o${i}.prop.x.y`),
    ...keys(1000, (i) => `dt.stream.s${i}.locality`, 'CONTAINER_LOCAL'),
  });
  t.strictSame(many.operators[999]?.properties, { x: { y: 'x' } });
  t.equal(many.streams[999]?.locality, 'CONTAINER_LOCAL');
});
