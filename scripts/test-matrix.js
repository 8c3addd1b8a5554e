// Runs the compiled tests on other Node versions than the oldest, which `npm test` is for: half of them on the newest, with
// a sixth of those of the engine, and an eighth on each one between. Files are taken in turn, so that each part of the
// gateway is among them. Versions named on the command line run all. The binaries are those that `scripts/matrix-peers.sh`
// installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const matrix = join(root, 'test/matrix');
const engine = ['build/test/stages/engine', 'build/test/stages/crashes'];
/** For each version, how `scripts/test.js` is called one time after the other. */
const rounds = {
  22: [['--part=1/8']],
  24: [['--part=5/8']],
  26: [['--part=2/2'], ['--part=2/6', ...engine]],
};
const named = process.argv.slice(2);
const versions = named.length > 0 ? named : Object.keys(rounds);

const run = (command, args, options) => {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) throw error;
  return status ?? 1;
};

const failed = versions.filter((version) => {
  const bin = join(matrix, `node_modules/node${version}/bin`);
  if (!existsSync(join(bin, 'node'))) throw new Error(`No Node ${version} in ${bin}`);
  console.log(`\n=== Node ${version}`);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const codes = (named.length > 0 ? [[], engine] : rounds[version]).map((args) =>
    run(join(bin, 'node'), ['scripts/test.js', ...args], { cwd: root, env }),
  );
  return codes.some((code) => code !== 0);
});
if (failed.length > 0) {
  console.error(`The tests fail on Node ${failed.join(', ')}`);
  process.exit(1);
}
