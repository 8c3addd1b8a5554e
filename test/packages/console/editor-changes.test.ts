import t from 'tap';
import {
  addOperator,
  connect,
  disconnect,
  moveOperator,
  removeOperator,
  renameOperator,
  setLocality,
  setProperty,
  setText,
} from '../../../packages/console/src/features/editor/changes.js';
import {
  type Definition,
  operatorsIn,
  readText,
  streamsIn,
  writeText,
} from '../../../packages/console/src/features/editor/definition.js';
import { ExactNumber } from '../../../packages/console/src/format/exact-json.js';

const end = (operatorName: string, portName: string) => ({ operatorName, portName });

const small: Definition = {
  displayName: 'Small',
  owner: 'a key of somebody else',
  operators: [
    { name: 'a', class: 'x.A', x: 1, y: 2, note: 'kept', properties: { limit: 5 } },
    { name: 'b', class: 'x.B' },
    { name: 'c', class: 'x.C' },
  ],
  streams: [
    {
      name: 's',
      color: 'red',
      source: end('a', 'out'),
      sinks: [{ ...end('b', 'in'), note: 1 }, end('c', 'in')],
    },
    { source: end('b', 'out'), sinks: [end('c', 'other')] },
  ],
};

t.test('an operator gets a free name of its class, and a place', (t) => {
  const first = addOperator(small, 'headgate.io.HubOutput', { x: 10.4, y: 20.6 });
  t.equal(first.name, 'hubOutput');
  t.match(operatorsIn(first.definition).at(-1), { name: 'hubOutput', place: { x: 10, y: 21 } });
  t.equal(addOperator(first.definition, 'other.HubOutput', { x: 0, y: 0 }).name, 'hubOutput2');
  t.equal(addOperator({}, '', { x: 0, y: 0 }).name, 'operator', 'also where there was no list');
  t.end();
});

t.test('its streams go with an operator, and stay where they lead elsewhere, too', (t) => {
  t.strictSame(streamsIn(removeOperator(small, 'a')).length, 1);
  t.strictSame(
    streamsIn(removeOperator(small, 'b')).map(({ name, sinks }) => [name, sinks.length]),
    [['s', 1]],
  );
  t.strictSame(
    streamsIn(removeOperator(small, 'c')).map(({ name, sinks }) => [name, sinks.length]),
    [['s', 1]],
  );
  t.end();
});

t.test('a new name goes everywhere; an empty or taken one nowhere', (t) => {
  const renamed = renameOperator(small, 'b', 'middle');
  t.strictSame(streamsIn(renamed)[0]?.sinks[0], end('middle', 'in'));
  t.strictSame(streamsIn(renamed)[1]?.source, end('middle', 'out'));
  t.match(renamed, { streams: [{ color: 'red', sinks: [{ note: 1 }, {}] }, {}] });
  for (const wrong of ['', 'a', 'b']) t.equal(renameOperator(small, 'b', wrong), small, wrong);
  t.end();
});

t.test('a port has one stream out, and one in', (t) => {
  const more = connect(small, end('b', 'out'), end('a', 'in'));
  t.strictSame(
    streamsIn(more).map(({ sinks }) => sinks.length),
    [2, 2],
  );
  const another = connect(small, end('c', 'out'), end('a', 'in'));
  t.equal(streamsIn(another).at(-1)?.name, 'c-out');
  t.equal(connect(small, end('c', 'out'), end('b', 'in')), small, 'that input is taken');
  t.strictSame(streamsIn(disconnect(small, end('c', 'other'))).length, 1, 'a stream to nowhere goes');
  t.strictSame(streamsIn(disconnect(small, end('c', 'in')))[0]?.sinks.length, 1);
  t.end();
});

t.test('places, properties, localities and texts are set and taken away', (t) => {
  t.match(operatorsIn(moveOperator(small, 'b', { x: 5.5, y: 1 }))[1], { place: { x: 6, y: 1 } });
  t.strictSame(operatorsIn(setProperty(small, 'b', 'mode', 'last'))[1]?.properties, { mode: 'last' });
  t.strictSame(operatorsIn(setProperty(small, 'a', 'limit', undefined))[0]?.properties, {});
  const near = setLocality(small, 'stream-1', 'NODE_LOCAL');
  t.equal(streamsIn(near)[1]?.locality, 'NODE_LOCAL', 'by the name that the engine gives it');
  t.equal(streamsIn(setLocality(near, 'stream-1', undefined))[1]?.locality, undefined);
  t.equal(setText(small, 'description', 'What it does')['description'], 'What it does');
  t.notOk('displayName' in setText(small, 'displayName', ''));
  t.end();
});

t.test('what is no definition yet is read as far as it goes', (t) => {
  t.match(readText('[]'), { ok: false, message: /object/ });
  t.match(readText('{'), { ok: false });
  t.strictSame(operatorsIn({ operators: 'none' }), []);
  t.strictSame(operatorsIn({ operators: [null, {}] }), [{ name: '', class: '', properties: {} }]);
  t.strictSame(streamsIn({ streams: [{}] }), [
    { name: 'stream-0', locality: undefined, source: end('', ''), sinks: [] },
  ]);
  t.end();
});

/** The same each time: a failure can be looked at again. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

t.test('whatever is done, the text says it, and the keys of others and all digits stay', (t) => {
  const big = '73314510714175488';
  for (let seed = 1; seed <= 200; seed++) {
    const next = numbers(seed);
    let now: Definition = { ...small, big: new ExactNumber(big) };
    for (let step = 0; step < 25; step++) now = oneOf(next, now);
    const text = writeText(now);
    const read = readText(text);
    if (!read.ok) return t.fail(`seed ${seed}: ${read.message}`);
    t.strictSame(operatorsIn(read.definition), operatorsIn(now), `operators of seed ${seed}`);
    t.strictSame(streamsIn(read.definition), streamsIn(now), `streams of seed ${seed}`);
    t.equal(now['owner'], small['owner']);
    t.ok(text.includes(big), 'no digit is lost');
    const names = operatorsIn(now).map(({ name }) => name);
    t.equal(new Set(names).size, names.length, 'no name twice');
    const sinks = streamsIn(now).flatMap((stream) => stream.sinks.map((sink) => JSON.stringify(sink)));
    t.equal(new Set(sinks).size, sinks.length, 'no input twice');
    t.ok(
      streamsIn(now).every((stream) => stream.sinks.length > 0),
      'no stream to nowhere',
    );
    const known = new Set(names);
    t.ok(
      streamsIn(now).every(({ source, sinks: all }) =>
        [source, ...all].every(({ operatorName }) => known.has(operatorName)),
      ),
      'no stream of an operator that is gone',
    );
  }
  t.end();
});

function oneOf(next: (below: number) => number, now: Definition): Definition {
  const names = operatorsIn(now).map(({ name }) => name);
  const name = names[next(names.length)] ?? '';
  const other = names[next(names.length)] ?? '';
  if (names.length === 0) return addOperator(now, 'x.New', { x: 0, y: 0 }).definition;
  switch (next(7)) {
    case 0:
      return addOperator(now, `x.K${next(3)}`, { x: next(100), y: next(100) }).definition;
    case 1:
      return removeOperator(now, name);
    case 2:
      return renameOperator(now, name, `n${next(6)}`);
    case 3:
      return connect(now, end(name, `out${next(2)}`), end(other, `in${next(2)}`));
    case 4:
      return disconnect(now, end(name, `in${next(2)}`));
    case 5:
      return setProperty(now, name, `p${next(3)}`, next(2) === 0 ? undefined : next(9));
    default:
      return moveOperator(now, name, { x: next(1000), y: next(1000) });
  }
}
