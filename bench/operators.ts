import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccess } from '../packages/engine/access/access.js';
import {
  Count,
  Dedup,
  FieldMap,
  FileLines,
  Join,
  JsonParse,
  Percentiles,
  RandomGenerator,
  SnapshotServer,
  Throttle,
  TopN,
} from '../packages/operators/built-in.js';
import {
  InputOperator,
  type Operator,
  type OperatorClass,
  type OperatorContext,
} from '../packages/operators/operator.js';
import { type Line, report } from './report.js';

// What the built-in operators reach when a stream is nothing but a call: the most that any engine can get out of them.

const seconds = 1.5;

function start(type: OperatorClass, properties: object, emit: (tuple: unknown) => void): Operator {
  const operator = new type();
  const silent = () => {};
  const context: OperatorContext = {
    applicationId: 'bench',
    operatorId: '1',
    operatorName: type.className,
    partition: { index: 0, count: 1 },
    attributes: {},
    windowMillis: 500,
    access: createAccess({ folder: '/', read: [], write: [], addresses: 'any' }),
    publish: silent,
    subscribe: () => silent,
    log: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  };
  operator.context = context;
  operator.properties = type.properties.parse(properties);
  operator.emit = (port, tuple) => {
    if (port === 'output') emit(tuple);
  };
  return operator;
}

const into =
  (operator: Operator, ...ports: string[]) =>
  (tuple: unknown) => {
    for (const port of ports) operator.process(port, tuple);
  };

/** Tuples per second through a chain, the input first. Windows have 50,000 tuples. */
async function measure(input: Operator, others: readonly Operator[]): Promise<number> {
  if (!(input instanceof InputOperator)) throw new Error('the first operator is no input');
  const all = [input, ...others];
  for (const operator of all) await operator.setup();
  let tuples = 0;
  const started = performance.now();
  let ended = false;
  for (let window = 1n; !ended && performance.now() - started < seconds * 1_000; window += 1n) {
    for (const operator of all) operator.beginWindow(String((1_700_000_000n << 32n) | window));
    for (let inWindow = 0; inWindow < 50_000 && !ended; ) {
      const count = input.emitTuples(1_000);
      if (count === undefined) ended = true;
      else inWindow += count;
      tuples += count ?? 0;
      if (count === 0) await new Promise(setImmediate);
    }
    for (const operator of all) operator.endWindow();
  }
  const elapsed = performance.now() - started;
  for (const operator of all) await operator.teardown();
  return (tuples / elapsed) * 1_000;
}

const drop = () => {};
const lines: Line[] = [];

async function generated(what: string, atLeast: number, make: () => [object, Operator[]]): Promise<void> {
  const [properties, others] = make();
  const [first] = others;
  const feed = first ? into(first, ...Object.keys(Object(first.constructor).inputs)) : drop;
  const figure = await measure(start(RandomGenerator, properties, feed), others);
  lines.push({ what, figure, unit: '/s', goal: { atLeast } });
}

/** The least that reading lines can cost: chunks, text, split. */
async function bareLines(path: string): Promise<number> {
  const handle = await open(path);
  const started = performance.now();
  let lines = 0;
  for await (const line of handle.readLines()) {
    JSON.parse(line);
    lines += 1;
  }
  return (lines / (performance.now() - started)) * 1_000;
}

await generated('random payload of 200 bytes', 2e6, () => [{ kind: 'payload' }, []]);
await generated('random records -> map -> count by word', 0.5e6, () => {
  const count = start(Count, { key: 'word' }, drop);
  const map = start(FieldMap, { compute: { double: 'value * 2' } }, into(count, 'input'));
  return [{ kind: 'records' }, [map, count]];
});
await generated('random numbers -> percentiles', 0.5e6, () => [
  {},
  [start(Percentiles, { value: '$', windows: 10 }, drop)],
]);
await generated('random records -> top N of words', 0.5e6, () => [
  { kind: 'records' },
  [start(TopN, { key: 'word', windows: 10 }, drop)],
]);

await generated('random records -> dedup by id, 100,000 keys', 0.5e6, () => [
  { kind: 'records' },
  [start(Dedup, { key: 'id' }, drop)],
]);
await generated('random records -> throttle by word', 0.5e6, () => [
  { kind: 'records' },
  [start(Throttle, { key: 'word', tuples: 1_000 }, drop)],
]);
await generated('random records, twice -> join by id', 0.25e6, () => [
  { kind: 'records' },
  [start(Join, { key: 'id', maxTuples: 100_000 }, drop)],
]);
await generated('random records -> snapshot of 1,000 rows by key', 0.5e6, () => [
  { kind: 'records' },
  [
    start(
      SnapshotServer,
      {
        collect: 'key',
        key: 'id % 1000',
        fields: ['id', 'word', 'value'].map((name) => ({ name, type: 'string' })),
      },
      drop,
    ),
  ],
]);

const directory = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
try {
  const path = join(directory, 'access.log');
  const line = (index: number) =>
    `{"time":"2026-11-21T12:00:00.000Z","method":"GET","path":"/ws/v2/${index % 50}","status":200,"durationMillis":${index % 997}}\n`;
  writeFileSync(path, Array.from({ length: 400_000 }, (_, index) => line(index)).join(''));
  const peer = await bareLines(path);
  const parse = start(JsonParse, {}, drop);
  const ours = await measure(start(FileLines, { path, follow: false }, into(parse, 'input')), [parse]);
  lines.push(
    { what: 'lines of a file -> JSON', figure: ours, unit: '/s' },
    {
      what: 'the same / readLines + JSON.parse',
      figure: ours / peer,
      peer: 'readLines and JSON.parse',
      goal: { atLeast: 1 },
    },
  );
} finally {
  rmSync(directory, { recursive: true });
}
process.exitCode = report('Built-in operators, tuples', lines) ? 0 : 1;
