// Runs a stage: tests that take long, kill processes or have real peers (`test/stages/`). `npm run test:engine` first
// installs the peers that the machine lacks and builds; `-- --ready` expects that as done. Files may be named:
// `npm run test:console -- logs hosts`. `node scripts/stage.js --peers` installs those of all stages.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** One at a time. */
const alone = { jobs: 1 };
/**
 * `peers`: scripts that install what it needs; `timeout`: for a file, in seconds; `jobs`: files at once; `program`: what runs the
 * tests, if not `scripts/test.js`; `after`: another program that belongs to it, which finds in the folder `HEADGATE_STAGE_NOTES` what tests
 * have put there; `folder`: in `test/stages/`, if not of its name.
 */
const stages = {
  attacks: { peers: ['attack'], timeout: 900, ...alone },
  browser: { peers: ['browser'], ...alone },
  clients: { peers: ['client'], ...alone },
  console: { peers: ['browser', 'proxy'], timeout: 400, jobs: 3 },
  containers: { peers: ['container'], ...alone },
  crashes: {},
  deployment: { peers: ['deployment'], timeout: 600, ...alone },
  engine: {},
  flink: {
    peers: ['flink', 'browser'],
    timeout: 600,
    jobs: 2,
    after: 'build/test/stages/flink/driven-report.js',
  },
  hosts: { peers: ['proxy', 'host'], ...alone },
  identity: { peers: ['identity'], after: 'scripts/identity-matrix.js', ...alone },
  jars: { timeout: 600 },
  mail: { peers: ['mail'] },
  matrix: { peers: ['matrix'], program: 'scripts/test-matrix.js' },
  package: { folder: 'packed', timeout: 900 },
  proxies: { peers: ['proxy'] },
  schemathesis: { peers: ['client'], timeout: 1100 },
  yarn: { peers: ['yarn', 'browser'], program: 'build/test/stages/yarn/run.js' },
};

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function testsOf({ folder, timeout = 300, jobs }, files) {
  const home = `build/test/stages/${folder}`;
  const named = files.map((file) => `${home}/${file}.test.js`);
  const missing = named.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}`);
  const options = [`--timeout=${timeout}`, ...(jobs === undefined ? [] : [`--jobs=${jobs}`])];
  return ['scripts/test.js', ...options, ...(named.length > 0 ? named : [home])];
}

function offerNotes() {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-stage-'));
  process.env.HEADGATE_STAGE_NOTES = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function install(peers) {
  for (const peer of new Set(peers)) run(`scripts/${peer}-peers.sh`);
}

const [name = '', ...given] = process.argv.slice(2);
if (name === '--peers') {
  install(Object.values(stages).flatMap(({ peers = [] }) => peers));
} else {
  const isReady = given.includes('--ready');
  const rest = given.filter((argument) => argument !== '--ready');
  const stage = stages[name];
  if (!stage) throw new Error(`There is no stage "${name}". There are ${Object.keys(stages).join(', ')}`);
  const { peers = [], program, after } = stage;
  if (!isReady) {
    install(peers);
    run('npm', 'run', '-s', 'ready');
  }
  if (after) offerNotes();
  run(process.execPath, ...(program ? [program, ...rest] : testsOf({ folder: name, ...stage }, rest)));
  if (after) run(process.execPath, after, ...rest);
}
