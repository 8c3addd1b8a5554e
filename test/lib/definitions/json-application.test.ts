import fc from 'fast-check';
import t from 'tap';
import { engineAttributes } from '../../../lib/definitions/attributes.js';
import type { DefinitionKnowledge, KnownClass } from '../../../lib/definitions/knowledge.js';
import { checkDefinition, createProblems, cycleOf, JsonApplication } from '../../../lib/driver-kit.js';
import { ApplicationDefinition } from '../../../lib/model/logical-plan.js';

// What keeps a definition from being launched, by what is known of the classes it names.

const port = (name: string, optional = false) => ({ name, optional });
const classes: Readonly<Record<string, KnownClass>> = {
  'com.acme.Source': {
    inputs: [],
    outputs: [port('out', true), port('errors', true)],
    properties: new Set(['total', 'connection']),
  },
  'com.acme.Map': { inputs: [port('in')], outputs: [port('out', true)], properties: new Set() },
  'com.acme.Join': {
    inputs: [port('left', true), port('right', true)],
    outputs: [port('out')],
    properties: new Set(['key']),
  },
  'com.acme.Sink': { inputs: [port('in')], outputs: [], properties: new Set() },
  'com.acme.Delay': { inputs: [port('in')], outputs: [port('out', true)], delays: true },
};
const knowledge: DefinitionKnowledge = {
  classOf: (name) => (Object.hasOwn(classes, name) ? classes[name] : undefined),
  unknownClass: (name) => (name.startsWith('com.acme.') ? `there is no class ${name}` : undefined),
  attributes: engineAttributes,
};

const operator = (name: string, type: string, more = {}) => ({ name, class: `com.acme.${type}`, ...more });
function stream(text: string, more = {}) {
  const [source = '', sinks = ''] = text.split(' -> ');
  const end = (place: string) => {
    const [operatorName = '', portName = ''] = place.split('.');
    return { operatorName, portName };
  };
  return { name: source, source: end(source), sinks: sinks ? sinks.split(', ').map(end) : [], ...more };
}
const valid = (): ApplicationDefinition => ({
  operators: [operator('source', 'Source'), operator('map', 'Map'), operator('sink', 'Sink')],
  streams: [stream('source.out -> map.in', { name: 's1' }), stream('map.out -> sink.in', { name: 's2' })],
});

function problemsOf(definition: ApplicationDefinition, known = knowledge) {
  const problems = createProblems();
  checkDefinition(definition, known, problems);
  return problems.all;
}

t.test('each problem has its place and a sentence', async (t) => {
  type Change = (definition: ApplicationDefinition) => unknown;
  const set =
    (index: number, values: object): Change =>
    ({ operators }) =>
      Object.assign(operators[index] ?? {}, values);
  const add =
    (text: string, more = {}): Change =>
    ({ streams }) =>
      streams.push(stream(text, { name: 'more', ...more }));
  const table: readonly [what: string, change: Change, path: string, message: RegExp][] = [
    ['no operators', (d) => Object.assign(d, { operators: [], streams: [] }), 'operators', /at least one/],
    ['no name', set(0, { name: '' }), 'operators.0.name', /a name is missing/],
    ['a dot in a name', set(0, { name: 'a.b' }), 'operators.0.name', /names hold no dots/],
    ['a long name', set(0, { name: 'x'.repeat(129) }), 'operators.0.name', /128 characters/],
    ['a name twice', set(2, { name: 'map' }), 'operators.2.name', /another operator "map"/],
    ['no class', set(0, { class: '' }), 'operators.0.class', /a class is missing/],
    ['an unknown class', set(0, { class: 'com.acme.X' }), 'operators.0.class', /no class com\.acme\.X/],
    ['a port', set(0, { ports: [{ name: 'in' }] }), 'operators.0.ports.0.name', /Source has no port "in"/],
    [
      'a property',
      set(0, { properties: { totals: 1 } }),
      'operators.0.properties.totals',
      /no property "totals"; it has total, connection/,
    ],
    [
      'a property of a class without any',
      set(1, { properties: { x: 1 } }),
      'operators.1.properties.x',
      /it has none/,
    ],
    [
      'an attribute of the application',
      (d) => Object.assign(d, { attributes: { MEMORY_MB: 1 } }),
      'attributes.MEMORY_MB',
      /no such attribute here; there are APPLICATION_NAME, /,
    ],
    [
      'an attribute of an operator',
      set(0, { attributes: { QUEUE_CAPACITY: 1 } }),
      'operators.0.attributes.QUEUE_CAPACITY',
      /no such attribute here/,
    ],
    [
      'an attribute of a port',
      set(0, { ports: [{ name: 'out', attributes: { VCORES: 1 } }] }),
      'operators.0.ports.0.attributes.VCORES',
      /there are QUEUE_CAPACITY, /,
    ],
    [
      'an attribute that does not fit',
      set(0, { attributes: { MEMORY_MB: 'much' } }),
      'operators.0.attributes.MEMORY_MB',
      /whole number/,
    ],
    [
      'an attribute called like something of every object',
      set(0, { attributes: { constructor: 1 } }),
      'operators.0.attributes.constructor',
      /no such attribute/,
    ],
    ['an input that is not connected', (d) => d.streams.pop(), 'operators.2', /input port "in" of sink/],
    [
      'only optional inputs, none connected',
      (d) => d.operators.push(operator('join', 'Join')),
      'operators.3',
      /no input port of join is connected/,
    ],
    [
      'an output that must be read',
      (d) => d.operators.push(operator('join', 'Join')),
      'operators.3',
      /output port "out" of join is not connected/,
    ],
    ['a stream name twice', add('source.errors -> x.in', { name: 's1' }), 'streams.2.name', /another stream/],
    [
      'a dot in the name of a stream',
      add('source.errors -> x.in', { name: 'a.b' }),
      'streams.2.name',
      /dots/,
    ],
    [
      'a locality',
      add('source.errors -> sink.in', { locality: 'HERE' }),
      'streams.2.locality',
      /no locality "HERE"; there are THREAD_LOCAL, CONTAINER_LOCAL, NODE_LOCAL, RACK_LOCAL/,
    ],
    ['no sink', add('source.errors'), 'streams.2.sinks', /at least one sink/],
    ['an unknown source', add('x.out -> sink.in'), 'streams.2.source.operatorName', /no operator "x"/],
    [
      'an unknown output',
      add('source.in -> sink.in'),
      'streams.2.source.portName',
      /no output port "in"; it has out, errors/,
    ],
    ['an unknown sink', add('source.errors -> x.in'), 'streams.2.sinks.0.operatorName', /no operator "x"/],
    [
      'an unknown input',
      add('source.errors -> map.out'),
      'streams.2.sinks.0.portName',
      /no input port "out"; it has in/,
    ],
    [
      'two streams from a port',
      add('source.out -> sink.in'),
      'streams.2.source',
      /already belongs to .*"s1"/,
    ],
    ['an input fed twice', add('source.errors -> map.in'), 'streams.2.sinks.0', /already belongs to .*"s1"/],
  ];
  for (const [what, change, path, message] of table) {
    const definition = valid();
    change(definition);
    const found = problemsOf(definition);
    t.ok(
      found.some((problem) => problem.path === path && message.test(problem.message)),
      `${what}: ${JSON.stringify(found)}`,
    );
  }
  t.strictSame(problemsOf(valid()), []);
});

t.test('what is not known is not held against a definition', async (t) => {
  const definition = valid();
  Object.assign(definition.operators[1] ?? {}, { class: 'org.other.Map', properties: { any: 1 } });
  t.strictSame(problemsOf(definition), []);
  const reaching = valid();
  Object.assign(reaching.operators[0] ?? {}, {
    properties: {
      class: 'com.acme.Source',
      name: 'n',
      'connection.host': 'h',
      'connection(x)': 1,
      'com.acme.Source': {},
      total: '{% totals %}',
    },
    attributes: { MEMORY_MB: '{% memory %}', PARTITIONER: 'com.acme.P:3', SPIN_MILLIS: '20' },
    x: 12,
  });
  t.strictSame(problemsOf(reaching), []);
  const { attributes: _, ...withoutAttributes } = knowledge;
  const odd = valid();
  Object.assign(odd, { attributes: { OURS: 1 } });
  t.strictSame(problemsOf(odd, withoutAttributes), []);
});

t.test('operators in a circle are told, unless one of them delays', async (t) => {
  const circle = (type: string): ApplicationDefinition => ({
    operators: [
      operator('source', 'Source'),
      operator('join', 'Join'),
      operator('map', 'Map'),
      { name: 'back', class: type },
    ],
    streams: [
      stream('source.out -> join.left', { name: 'a' }),
      stream('join.out -> map.in', { name: 'b' }),
      stream('map.out -> back.in', { name: 'c' }),
      stream('back.out -> join.right', { name: 'd' }),
    ],
  });
  t.strictSame(problemsOf(circle('com.acme.Map')), [
    { path: 'streams.3', message: 'the operators run in a circle: join -> map -> back -> join' },
  ]);
  t.strictSame(problemsOf(circle('com.acme.Delay')), []);
  t.strictSame(problemsOf(circle('org.other.Unknown')), [], 'nobody knows whether it delays');

  const arrows = (text: string) => text.split(' ').map((arrow) => [arrow[0] ?? '', arrow[1] ?? ''] as const);
  t.equal(cycleOf([...'abcd'], arrows('ab ac bd cd')), undefined, 'a diamond is none');
  t.strictSame(cycleOf([...'xy'], arrows('xy yy')), ['y', 'y']);
  const chain = Array.from({ length: 20_000 }, (_, i) => [`n${i}`, `n${i + 1}`] as const);
  t.equal(
    cycleOf(
      chain.map(([from]) => from),
      chain,
    ),
    undefined,
    'long chains are no matter',
  );
});

t.test('the first hundred problems are told, and how many more there are', async (t) => {
  const definition = {
    operators: Array.from({ length: 1000 }, () => operator('same', 'Nothing')),
    streams: Array.from({ length: 5000 }, () => stream('no.out')),
  };
  const found = problemsOf(ApplicationDefinition.parse(definition));
  t.equal(found.length, 101);
  t.match(found.at(-1)?.message, /^and \d+ more$/);
});

t.test('a definition without problems has the form that a launch takes', async (t) => {
  const name = fc.constantFrom('a', 'b', 'c', 'a.b', '');
  const end = fc.record({ operatorName: name, portName: fc.constantFrom('in', 'out', '') });
  const definitions = fc.record({
    operators: fc.array(
      fc.record({
        name,
        class: fc.constantFrom('com.acme.Source', 'com.acme.Map', 'org.other.X', ''),
        ports: fc.option(fc.array(fc.record({ name }), { maxLength: 2 }), { nil: undefined }),
      }),
      { maxLength: 3 },
    ),
    streams: fc.array(
      fc.record({
        name: fc.option(name, { nil: undefined }),
        locality: fc.constantFrom(null, undefined, 'NODE_LOCAL', 'HERE'),
        source: end,
        sinks: fc.array(end, { maxLength: 2 }),
      }),
      { maxLength: 3 },
    ),
  });
  const holds = fc.property(definitions, (definition) => {
    const fits = JsonApplication.safeParse(definition).success;
    return fits || problemsOf(ApplicationDefinition.parse(definition)).length > 0;
  });
  t.doesNotThrow(() => fc.assert(holds, { numRuns: 2000 }));
});
