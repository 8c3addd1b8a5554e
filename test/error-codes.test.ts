import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { errorCodes } from '../lib/model/reasons.js';
import { root, sourcesIn } from './helpers/sources.js';

// The table of error codes, `lib/model/reasons.ts`, against the sources that throw them. That BadRequest, Conflict and the
// gateway's other errors have no code beside it is the compiler's to say.

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const table = Object.entries(errorCodes).flatMap(([status, codes]) =>
  Object.entries(codes).map(([code, sentence]) => ({ status, code, sentence })),
);
const sources = sourcesIn(['lib', 'adapters', 'packages'])
  .filter((file) => file !== 'lib/model/reasons.ts')
  .map((file) => ({ file, text: read(file) }));
/** Only for drivers of others. */
const generic = ['BAD_REQUEST', 'CONFLICT'];

t.test('every code of the table is answered somewhere', async (t) => {
  const made = /(?:new \w+|super)\(\s*(?:\d{3},\s*)?'([A-Z_]+)'/g;
  const thrown = new Set(sources.flatMap(({ text }) => [...text.matchAll(made)].map(([, code]) => code)));
  const unused = table.map(({ code }) => code).filter((code) => !thrown.has(code));
  t.strictSame(unused, generic);
});

t.test('errors that are made with a status of their own are in the table too', async (t) => {
  const made = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:GatewayError|super)\(\s*(\d{3}),\s*'([A-Z_]+)'/g)].map(
      ([, status = '', code = '']) => ({ file, status, code }),
    ),
  );
  t.ok(made.length > 1, `${made.length}`);
  for (const { file, ...one } of made)
    t.ok(
      table.some(({ status, code }) => status === one.status && code === one.code),
      `${file}: ${one.status} ${one.code}`,
    );
});

t.test('the drivers of the examples, which no compiler reads, say codes of the table', async (t) => {
  const made = scriptsIn('examples').flatMap((file) =>
    [...read(file).matchAll(/new (BadRequest|Conflict)\(\s*(?:'([A-Z_]+)',)?/g)].map(
      ([, name = '', code = '']) => ({ file, status: name === 'Conflict' ? '409' : '400', code }),
    ),
  );
  t.ok(made.length > 3, `${made.length}`);
  for (const { file, ...one } of made)
    t.ok(
      table.some(({ status, code }) => status === one.status && code === one.code),
      `${file}: ${one.status} ${one.code}`,
    );
});

t.test('a code stands for one status and has one line', async (t) => {
  const codes = table.map(({ code }) => code);
  t.strictSame([...new Set(codes)], codes);
  for (const { code, sentence } of table) {
    t.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    t.match(sentence, /^[A-Z].*\.$/, code);
  }
});

const scriptsIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !/\b(?:node_modules|dist)\b/.test(file))
    .map((file) => join(folder, file));
