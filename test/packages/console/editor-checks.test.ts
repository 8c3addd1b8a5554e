import t from 'tap';
import type { Definition } from '../../../packages/console/src/features/editor/definition.js';
import { linesOf, shapesOf } from '../../../packages/console/src/features/editor/picture.js';
import {
  joinRefusal,
  type Ports,
  typesFit,
} from '../../../packages/console/src/features/editor/port-types.js';
import {
  problemsIn,
  problemsInLines,
  selectionOf,
} from '../../../packages/console/src/features/editor/problems.js';
import { placeOf } from '../../../packages/console/src/features/editor/text-place.js';
import { differences, merged } from '../../../packages/console/src/features/editor/three-way.js';

const end = (operatorName: string, portName: string) => ({ operatorName, portName });
const port = (name: string, type?: string, optional = false) => ({
  name,
  optional,
  ...(type === undefined ? {} : { type }),
});

t.test('which types fit', (t) => {
  const table: readonly (readonly [from: string | undefined, into: string | undefined, fits: boolean])[] = [
    ['Reading', 'Reading', true],
    ['Reading', 'Alarms', false],
    ['Reading', 'any', true],
    ['any', 'Reading', true],
    [undefined, 'Reading', true],
    ['string', 'java.lang.String', false],
    ['int', 'java.lang.Integer', true],
    ['java.lang.Integer', 'java.lang.Number', true],
    ['java.lang.String', 'java.lang.Number', false],
    ['java.lang.Number', 'java.lang.Integer', false],
    ['java.lang.String', 'java.lang.Integer', false],
    ['java.lang.String', 'java.lang.Object', true],
    ['java.util.HashMap', 'java.util.Map', true],
    ['[B', 'java.util.List', false],
  ];
  for (const [from, into, fits] of table)
    t.equal(typesFit(port('a', from), port('b', into)), fits, `${from} into ${into}`);
  t.equal(typesFit({ ...port('a', 'java.lang.Comparable'), typeLiteral: 'T' }, port('b', 'int')), true);
  t.end();
});

const classes: Readonly<Record<string, Ports>> = {
  source: { inputPorts: [], outputPorts: [port('out', 'Reading')] },
  sink: { inputPorts: [port('in', 'Alarms'), port('more', 'any', true)], outputPorts: [] },
};
const portsOf = (name: string) => classes[name];
const pair: Definition = {
  operators: [
    { name: 'source', class: 'x.Source' },
    { name: 'sink', class: 'x.Sink' },
  ],
  streams: [],
};

t.test('a join is refused with both types, for a taken input and to itself', (t) => {
  t.equal(joinRefusal(pair, portsOf, end('source', 'out'), end('sink', 'in')), 'Reading does not fit Alarms');
  t.equal(joinRefusal(pair, portsOf, end('source', 'out'), end('sink', 'more')), undefined);
  t.match(joinRefusal(pair, portsOf, end('sink', 'out'), end('sink', 'more')), /itself/);
  const taken = {
    ...pair,
    streams: [{ name: 's', source: end('source', 'out'), sinks: [end('sink', 'more')] }],
  };
  t.match(joinRefusal(taken, portsOf, end('source', 'out'), end('sink', 'more')), /taken by the stream s/);
  t.end();
});

t.test('problems have a path, and a click selects what is there', (t) => {
  const wrong: Definition = {
    operators: [
      { name: 'source', class: 'x.Source' },
      { name: 'sink', class: 'x.Sink' },
      { name: 'sink', class: 'x.Sink' },
      { name: 'a.b', class: 'x.None' },
      {},
    ],
    streams: [
      { name: 's', source: end('source', 'out'), sinks: [end('sink', 'in'), end('gone', 'in')] },
      { name: 't', source: end('source', 'wrong'), sinks: [] },
      { source: end('source', 'out'), sinks: [end('sink', 'in')] },
    ],
  };
  const found = problemsIn(wrong, portsOf, true);
  t.strictSame(
    found.map(({ path, message }) => `${path}: ${message}`),
    [
      'operators.2.name: There is another operator sink',
      'operators.3.name: Names hold no dots',
      'operators.3.class: There is no class x.None in this package',
      'operators.4: A name is missing',
      'operators.4.class: There is no class (empty) in this package',
      'streams.0.sinks.0: s: Reading does not fit Alarms',
      'streams.0.sinks.1: There is no operator gone',
      'streams.1.source: source has no such port: wrong',
      'streams.1: The stream t leads nowhere',
      'streams.2.source: Another stream has out of source already',
      'streams.2.sinks.0: Another stream has in of sink already',
      'streams.2.sinks.0: stream-2: Reading does not fit Alarms',
    ],
  );
  t.strictSame(
    [found[0], found[6], { path: '', message: '' }].map((problem) => problem && selectionOf(problem, wrong)),
    ['operator:sink', 'stream:s', undefined],
  );
  t.match(problemsIn({}, portsOf, true), [{ path: '', message: /at least one/ }]);
  t.match(problemsIn(pair, portsOf, false), [{ message: /output out/ }, { message: /input in of sink/ }]);
  t.strictSame(problemsInLines('operators.0.class: there is none: x\nsomething else'), [
    { path: 'operators.0.class', message: 'there is none: x' },
    { path: '', message: 'something else' },
  ]);
  t.end();
});

t.test('ports that only streams name are drawn, too', (t) => {
  const odd = { ...pair, streams: [{ name: 's', source: end('source', 'odd'), sinks: [end('sink', 'in')] }] };
  t.strictSame(
    shapesOf(odd, portsOf).map(({ inputs, outputs }) => [inputs.length, outputs.length]),
    [
      [0, 2],
      [2, 0],
    ],
  );
  t.equal(linesOf(odd).length, 1);
  t.end();
});

t.test('where a path stands in the text', (t) => {
  const text = '{ "a\\"b": [1, {"c": "x,]}"}], "d": {} }';
  const at = (path: string) => {
    const place = placeOf(text, path);
    return place && text.slice(place.from, place.to);
  };
  t.equal(at('a"b.1.c'), '"x,]}"');
  t.equal(at('a"b.0'), '1');
  t.equal(at('a"b.1.gone'), '{"c": "x,]}"}', 'the last part that there is');
  t.equal(at('d'), '{}');
  t.equal(at(''), text);
  t.equal(placeOf('{ "a": ', 'a'), undefined);
  t.equal(placeOf('', ''), undefined);
  t.end();
});

t.test('mine, theirs and what both began with', (t) => {
  const base = { operators: [{ name: 'a', class: 'A', properties: { limit: 1, mode: 'x' } }], streams: [] };
  const mine = {
    operators: [
      { name: 'a', class: 'A', properties: { limit: 2, mode: 'x' } },
      { name: 'new', class: 'N' },
    ],
    streams: [],
  };
  const theirs = {
    operators: [{ name: 'a', class: 'A', properties: { limit: 3, mode: 'y' } }],
    streams: [],
    description: 'theirs',
  };
  const found = differences(base, mine, theirs);
  t.strictSame(
    found.map(({ path, by }) => [path.join('.'), by]),
    [
      ['operators.a.properties.limit', 'both'],
      ['operators.a.properties.mode', 'theirs'],
      ['operators.new', 'mine'],
      ['description', 'theirs'],
    ],
  );
  t.strictSame(
    merged(theirs, found, () => true),
    mine,
    'all mine',
  );
  t.strictSame(
    merged(theirs, found, () => false),
    theirs,
    'all theirs',
  );
  t.match(
    merged(theirs, found, ({ by }) => by !== 'theirs'),
    { operators: [{ properties: { limit: 2, mode: 'y' } }, { name: 'new' }], description: 'theirs' },
  );
  t.strictSame(differences(base, theirs, theirs), [], 'the same change is none');
  t.end();
});
