// Runs the compiled tests on other Node versions than the oldest, which `npm test` is for: all of them on the newest, with
// half of those of the engine, and an eighth of them on each one between: what breaks there nearly always breaks on one of
// the two others too. Versions named on the command line run all. The binaries are those that `scripts/matrix-peers.sh`
// installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const matrix = join(root, 'test/matrix');
const parts = { 22: '1/8', 24: '5/8', 26: '1/1' };
const engine = ['build/test/stages/engine', 'build/test/stages/crashes'];
const halfOfEngine = ['--part=2/2', ...engine];
const named = process.argv.slice(2);
const versions = named.length > 0 ? named : Object.keys(parts);

const run = (command, args, options) => {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) throw error;
  return status ?? 1;
};

const failed = versions.filter((version) => {
  const bin = join(matrix, `node_modules/node${version}/bin`);
  if (!existsSync(join(bin, 'node'))) throw new Error(`No Node ${version} in ${bin}`);
  console.log(`\n=== Node ${version}`);
  const part = named.length > 0 ? '1/1' : parts[version];
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const rounds = part === '1/1' ? [[], named.length > 0 ? engine : halfOfEngine] : [[`--part=${part}`]];
  const codes = rounds.map((args) =>
    run(join(bin, 'node'), ['scripts/test.js', ...args], { cwd: root, env }),
  );
  return codes.some((code) => code !== 0);
});
if (failed.length > 0) {
  console.error(`The tests fail on Node ${failed.join(', ')}`);
  process.exit(1);
}
