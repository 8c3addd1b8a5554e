// Runs the compiled tests: all of them but the stages, every nth one (`--part=1/2`, `--part=3/4`), or the files and
// folders of `build/test` that the command line names. `--jobs=1` runs one at a time (two a processor otherwise, since
// many of them wait for something), `--timeout` gives each that many seconds.
// Each is a program that tells in TAP how it went. tap's own runner puts hooks for mocks and coverage into every process,
// which we use nowhere: with them a test and each of its children load their modules three times as slowly. It still runs
// the rest, and whoever likes it better.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    jobs: { type: 'string', default: String(2 * availableParallelism()) },
    part: { type: 'string', default: '1/1' },
    timeout: { type: 'string', default: '300' },
  },
  allowPositionals: true,
});
/** For a whole file. It ends itself before that, unless it hangs. */
const killAfterMillis = Math.max(600, Number(values.timeout) + 60) * 1000;
const withoutDomains = fileURLToPath(new URL('without-domains.cjs', import.meta.url));
/** Its folders have scripts of their own in package.json: `.taprc` leaves it out too. */
const stages = join('build/test/stages/');

const testsIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.js'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();

const usualTests = () => testsIn('build/test').filter((file) => !file.startsWith(stages));

/** tap passes a file whose tests it did not run. */
const skipped = 'cannot create subtest after parent test ends';
/** What a test says of itself, without tap's own comments. */
const remark = /^ *# (?!Subtest|time=|\{ total).*$/gm;

async function run(file) {
  const began = performance.now();
  // Seconds, for those that set none themselves.
  const env = { TAP_TIMEOUT: values.timeout, ...process.env };
  const child = spawn(process.execPath, ['-r', withoutDomains, file], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMillis);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const output = Buffer.concat(chunks).toString();
  const [, total = '0', pass = '0', rest = ''] = /^# \{ total: (\d+), pass: (\d+)(.*)\}/m.exec(output) ?? [];
  // What a contract does not try, since the driver does not offer it.
  const [, skip = '0'] = /, skip: (\d+)/.exec(rest) ?? [];
  const isGood = code === 0 && total !== '0' && !output.includes(skipped);
  // One that died without a word counts as well.
  const counted = isGood || Number(total) !== Number(pass) + Number(skip) ? Number(total) : Number(total) + 1;
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  console.log(`${isGood ? 'ok    ' : 'not ok'} ${seconds} s ${total.padStart(5)}  ${file}`);
  if (isGood) for (const [line] of output.matchAll(remark)) console.log(`    ${line.trim()}`);
  else {
    console.log(output.replace(/^/gm, '    '));
    console.log(`    ${file} ended with ${signal ?? `code ${code}`}\n`);
  }
  return { total: counted, pass: Number(pass), skip: Number(skip), isGood };
}

const [part, parts] = values.part.split('/').map(Number);
const named = positionals.flatMap((name) => (name.endsWith('.js') ? [name] : testsIn(name)));
const files = (positionals.length > 0 ? named : usualTests()).filter(
  (_, index) => index % parts === part - 1,
);
const waiting = [...files];
const results = [];
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift())
      results.push(await run(file));
  }),
);
const sum = (name) => results.reduce((all, result) => all + result[name], 0);
const [total, pass, skip] = [sum('total'), sum('pass'), sum('skip')];
const fail = total - pass - skip;
const others = [skip > 0 ? `, skip: ${skip}` : '', fail > 0 ? `, fail: ${fail}` : ''].join('');
console.log(`# { total: ${total}, pass: ${pass}${others} }`);
process.exitCode = files.length > 0 && results.every(({ isGood }) => isGood) ? 0 : 1;
