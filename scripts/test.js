// Runs the compiled tests: all of them, those named on the command line, or every other one (`--part=1/2`, `--part=2/2`).
// Each is a program that tells in TAP how it went. tap's own runner puts hooks for mocks and coverage into every process,
// which we use nowhere: with them a test and each of its children load their modules three times as slowly. It still runs
// the rest, and whoever likes it better.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const jobs = 2;
/** For a whole file. It ends itself before that, unless it hangs. */
const killAfterMillis = 600_000;
/** Folders that have scripts of their own in package.json: `.taprc` leaves them out. */
const elsewhere = [...readFileSync(join(root, '.taprc'), 'utf8').matchAll(/build\/test\/(\w+)\/\*\*"/g)].map(
  ([, folder]) => folder,
);

function allTests() {
  const folder = join(root, 'build/test');
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !elsewhere.includes(file.split(/[\\/]/)[0]))
    .sort()
    .map((file) => join('build/test', file));
}

async function run(file) {
  const began = performance.now();
  // Seconds, for those that set none themselves.
  const env = { TAP_TIMEOUT: '120', ...process.env };
  const child = spawn(process.execPath, [file], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMillis);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const output = Buffer.concat(chunks).toString();
  const [, total = '0', pass = '0'] = /^# \{ total: (\d+), pass: (\d+)/m.exec(output) ?? [];
  const isGood = code === 0 && total !== '0';
  // One that died without a word counts as well.
  const counted = isGood || total !== pass ? Number(total) : Number(total) + 1;
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  console.log(`${isGood ? 'ok    ' : 'not ok'} ${seconds} s ${total.padStart(5)}  ${file}`);
  if (!isGood) {
    console.log(output.replace(/^/gm, '    '));
    console.log(`    ${file} ended with ${signal ?? `code ${code}`}\n`);
  }
  return { total: counted, pass: Number(pass), isGood };
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const [, part = '1', parts = '1'] = /--part=(\d+)\/(\d+)/.exec(process.argv.join(' ')) ?? [];
const files = (named.length > 0 ? named : allTests()).filter(
  (_, index) => index % Number(parts) === Number(part) - 1,
);
const waiting = [...files];
const results = [];
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      results.push(await run(file));
  }),
);
const sum = (name) => results.reduce((all, result) => all + result[name], 0);
const [total, pass] = [sum('total'), sum('pass')];
console.log(`# { total: ${total}, pass: ${pass}${pass < total ? `, fail: ${total - pass}` : ''} }`);
process.exitCode = files.length > 0 && results.every(({ isGood }) => isGood) ? 0 : 1;
