import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { rowsOf, type SourceFile, sources, unquoted } from './helpers/pages.js';
import { root } from './helpers/sources.js';

// What the gateway logs: every line names its event, and docs/operations.md lists the events as the code has them.

interface LogCall {
  readonly place: string;
  readonly levels: readonly string[];
  /** Absent: its fields don't begin with one. */
  readonly event: string | undefined;
  /** Absent: no plain text. */
  readonly message: string | undefined;
  readonly fields: string;
}

const callOfLogger = /\blogger(?:\??\.(debug|info|warn|error)|\[(\w+)\])(?:\?\.)?\(/g;

function callsIn({ path, text }: SourceFile): LogCall[] {
  return [...text.matchAll(callOfLogger)].map((call) => {
    const [{ length }, level, variable] = call;
    const before = text.slice(0, call.index);
    const args = text.slice(call.index + length, endOfCall(text, call.index + length));
    const [, fields = args.trim(), , single, double] =
      /^\s*([\s\S]*),\s*('((?:[^'\\]|\\.)*)'|"([^"]*)"),?\s*$/.exec(args) ?? [];
    const object = fields.startsWith('{') ? fields : lastValueOf(fields, before);
    return {
      place: `${path}:${before.split('\n').length}`,
      levels: level ? [level] : levelsIn(lastValueOf(variable, before)),
      event: /^\{\s*event: '([^']*)'/.exec(object)?.[1],
      message: single ?? double,
      fields: object,
    };
  });
}

function endOfCall(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (/[([{]/.test(text.charAt(at))) depth++;
    if (/[)\]}]/.test(text.charAt(at)) && --depth === 0) return at;
  }
  return text.length;
}

/** What a constant holds that a call names. */
function lastValueOf(name = '', before: string): string {
  const begin = `const ${name} = `;
  const at = before.lastIndexOf(begin);
  return at < 0 ? '' : (before.slice(at + begin.length).split(';', 1)[0] ?? '');
}

const levelsIn = (text: string) =>
  [...text.matchAll(/'(debug|info|warn|error)'/g)].map(([, level = '']) => level);

const logCalls = sources.flatMap(callsIn);

/** `error` and `warn` stand in the table as `error, warn`. */
const lineOf = (event: string, levels: Iterable<string>, message: string) =>
  `${event} | ${[...levels].toSorted().join(', ')} | ${message}`;

const rows = rowsOf('Log events', readFileSync(join(root, 'docs/operations.md'), 'utf8'))
  .slice(1)
  .map(([event, levels = '', said = '', fields = '']) => ({
    event: unquoted(event),
    levels,
    message: /^`([^`]*)`/.exec(said)?.[1] ?? '',
    fields,
  }));

t.test('every call of a logger names its event first, and says a plain text', async (t) => {
  t.ok(logCalls.length > 100, `${logCalls.length} calls`);
  const form = /^[a-z][a-z0-9]*(_[a-z0-9]+)*\.[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
  t.strictSame(
    logCalls.filter(({ event }) => !form.test(event ?? '')).map(({ place, event }) => `${place}: ${event}`),
    [],
  );
  t.strictSame(
    logCalls.filter(({ message }) => message === undefined).map(({ place }) => place),
    [],
  );
  t.strictSame(
    logCalls.filter(({ levels }) => levels.length === 0).map(({ place }) => place),
    [],
  );
});

t.test('loggers are found, since all have the same name', async (t) => {
  const others = sources
    .filter(({ path }) => path !== 'lib/runtime/unfailing-logger.ts')
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\b(\w+)\??: Logger\b/g)].map(([, name]) => `${path}: ${name}`),
    )
    .filter((found) => !/: (logger|silent)$/.test(found));
  t.strictSame(others, []);
  const passedOn = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\blogger\??\.(?:debug|info|warn|error)\b(?!\(|\?\.\()/g)].map(() => path),
  );
  t.strictSame(passedOn, [], 'none hands on a method');
});

t.test('every event is in the table, with its levels and messages, and no other', async (t) => {
  const said = new Map<string, { event: string; message: string; levels: Set<string> }>();
  for (const { event = '', message = '', levels } of logCalls) {
    const key = `${event} ${message}`;
    const known = said.get(key) ?? { event, message, levels: new Set() };
    for (const level of levels) known.levels.add(level);
    said.set(key, known);
  }
  t.strictSame(
    rows.map(({ event, levels, message }) => lineOf(event, levels.split(', '), message)).toSorted(),
    [...said.values()].map(({ event, levels, message }) => lineOf(event, levels, message)).toSorted(),
  );
});

t.test('the fields that a call names are those of its row', async (t) => {
  let compared = 0;
  for (const { event, message, fields } of logCalls) {
    const row = rows.find((row) => row.event === event && row.message === message);
    for (const [, name = ''] of fields.replace(/\(.*\)/s, '').matchAll(/(?<=[{,]\s*)(\w+)(?=\s*[:,}])/g)) {
      if (name === 'event' || row?.fields.startsWith('the same')) continue;
      t.match(row?.fields, `\`${name}\``, `${event}: ${name}`);
      compared++;
    }
  }
  t.ok(compared > 100, `${compared}`);
});
