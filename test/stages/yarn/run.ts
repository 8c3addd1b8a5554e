import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { artifacts, cache } from './artifacts.js';
import { endLeftovers } from './leftovers.js';

// `npm run test:yarn [-- rows ...] [--quiet=seconds]`: fetches what is missing, runs the tests against the real cluster two files at a
// time, each with a cluster of its own, and ends whatever they left, also when they are stopped or take too long.

const { values, positionals } = parseArgs({
  // How long the engine's own clients are silent in `hub`.
  options: { quiet: { type: 'string', default: '45' } },
  allowPositionals: true,
});
/** Ten minutes where nothing else runs; in CI another lane has half of the machine. */
const limitMillis = Number(process.env['HEADGATE_YARN_MILLIS'] ?? 25 * 60_000) + Number(values.quiet) * 1000;
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;
const say = (what: string) => console.log(`# ${seconds()}: ${what}`);

// Everything that a cluster writes lies below, and everything that it runs works there.
const scratch = await mkdtemp(join(tmpdir(), 'headgate-yarn-run-'));
const aborting = new AbortController();
const deadline = setTimeout(() => aborting.abort(`it took longer than ${limitMillis / 1000} s`), limitMillis);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => aborting.abort(`stopped by ${signal}`));

/** Files whose tests have not ended yet. */
const unfinished = new Set<string>();

try {
  await Promise.race([artifacts(), stopped()]);
  say(`everything needed is in ${cache}`);
  process.exitCode = await test(await files(positionals));
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  clearTimeout(deadline);
  await endLeftovers(scratch);
  await rm(scratch, { recursive: true, force: true });
  say('the end');
}
// A download that was given up may still be under way.
process.exit();

function stopped(): Promise<never> {
  const { signal } = aborting;
  return new Promise((_resolve, reject) =>
    signal.addEventListener(
      'abort',
      () => reject(new Error(`${signal.reason}; not finished: ${[...unfinished].join(', ') || 'fetching'}`)),
      {
        once: true,
      },
    ),
  );
}

/** It begins first: at the end it would run alone. */
function isLongest(name: string): boolean {
  return name.startsWith('rows.');
}

/** Those whose names hold one of the words; all of them without words. */
async function files(words: readonly string[]): Promise<string[]> {
  const names = (await readdir('build/test/stages/yarn'))
    .filter((name) => name.endsWith('.test.js'))
    .sort((a, b) => Number(isLongest(b)) - Number(isLongest(a)) || a.localeCompare(b));
  const chosen = names.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  if (chosen.length === 0)
    throw new Error(`There is no test of ${words.join(', ')} among ${names.join(', ')}`);
  return chosen.map((name) => `build/test/stages/yarn/${name}`);
}

/** The exit code of the test runner, which is a group of processes of its own. */
async function test(files: readonly string[]): Promise<number> {
  for (const file of files) unfinished.add(file);
  const child = spawn(
    process.execPath,
    ['scripts/test.js', '--jobs=2', `--timeout=${limitMillis / 1000}`, ...files],
    {
      env: { ...process.env, TMPDIR: scratch, HEADGATE_QUIET_SECONDS: values.quiet },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  );
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    for (const [, file = ''] of text.matchAll(/^(?:not )?ok .*(build\S+)$/gm)) unfinished.delete(file);
  });
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  try {
    return await Promise.race([ended, stopped()]);
  } catch (error) {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    throw error;
  }
}
