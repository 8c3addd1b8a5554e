import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { StorageFailed } from '../../../lib/model/errors.js';
import { machineClock } from '../../../lib/options.js';
import { rollingLog } from '../../../packages/containers/process/log.js';
import { createRotatingFile } from '../../../packages/engine/container/rotating-file.js';
import { createDeployLog, deployReader } from '../../../packages/engine/history/deployments.js';
import { startContainer } from '../../../packages/engine/processes/agent.js';
import type { ApplicationRecord } from '../../../packages/engine/store/record.js';
import { emptySnapshot } from '../../../packages/engine/store/snapshot.js';
import { createStore } from '../../../packages/engine/store/store.js';
import { openLaunchRecords } from '../../../packages/yarn/launch/records.js';
import { permissionStore } from '../../../packages/yarn/permissions.js';
import { bareRuntime } from '../../helpers/bare-runtime.js';
import { testFolder } from '../../helpers/folder.js';
import { op, openCluster, stream } from '../../helpers/local-cluster.js';
import { eventually } from '../../helpers/waiting.js';

// What the engine writes, on disks that fail, and who may read it.

const silent = () => {};

t.test(
  'folders, records, logs and recordings of the engine are for their owner only, whatever the umask',
  async (t) => {
    const root = testFolder(t);
    const directory = join(root, 'engine');
    const before = process.umask(0);
    t.teardown(() => process.umask(before));
    const { driver, launch, reached } = await openCluster(t, { directory, execPath: bareRuntime(root) });
    const appId = await launch({
      attributes: { STREAMING_WINDOW_SIZE_MILLIS: 50, CHECKPOINT_WINDOW_COUNT: 2 },
      operators: [
        op('source', 'Sequence', { total: 1e9, perSecond: 1000 }),
        op('middle', 'Trouble', { at: -1 }),
      ],
      streams: [stream('source.out -> middle.in')],
    });
    await reached(appId, 'RUNNING');
    const master = await driver.master(appId);
    await eventually(async () => {
      const [source] = (await master.physicalPlan()).operators;
      return source && source.recoveryWindowId !== '0' ? true : undefined;
    });
    await driver.close();
    const open: string[] = [];
    const all = readdirSync(directory, { recursive: true, withFileTypes: true });
    for (const entry of all) {
      const path = join(entry.parentPath, entry.name);
      const mode = statSync(path).mode & 0o777;
      if (mode !== (entry.isDirectory() ? 0o700 : 0o600))
        open.push(`${relative(directory, path)} ${mode.toString(8)}`);
    }
    t.strictSame(open, []);
    t.equal(statSync(directory).mode & 0o777, 0o700);
    const names = all.map(({ name }) => name);
    for (const name of [
      'headgate.log',
      'stdout',
      'application.json',
      'operators.jsonl',
      'part0.txt',
      'engine.json',
    ])
      t.ok(names.includes(name), name);
  },
);

for (const [name, begin] of [
  ['a container', (path: string) => createRotatingFile(path, { maxBytes: 10, files: 3 })],
  [
    'a service',
    (path: string) => {
      const log = rollingLog(path, 10, 3);
      return { write: (text: string) => log.write(Buffer.from(text)) };
    },
  ],
] as const)
  t.test(`the log of ${name} that can not be rotated writes into no other file`, async (t) => {
    const root = testFolder(t, { logs: {} });
    const log = begin(join(root, 'logs', 'log'));
    log.write('12345678');
    rmSync(join(root, 'logs'), { recursive: true });
    t.doesNotThrow(() => log.write('one more'));
    const other = openSync(join(root, 'other'), 'w');
    log.write('and another');
    writeSync(other, 'its own');
    closeSync(other);
    t.equal(readFileSync(join(root, 'other'), 'utf8'), 'its own');
  });

t.test('a line of the deployments that was cut takes no other with it', async (t) => {
  const directory = testFolder(t, { 'operators.jsonl': {} });
  const problems: unknown[] = [];
  const log = createDeployLog(directory, (error) => problems.push(error));
  const deployment = (container: string) => ({ name: 'o', id: '1', container, startTime: 1 });
  log.add(deployment('first'));
  await log.settled();
  t.equal(problems.length, 1);
  rmSync(join(directory, 'operators.jsonl'), { recursive: true });
  writeFileSync(join(directory, 'operators.jsonl'), '{"name":"o","id"');
  log.add(deployment('second'));
  await log.settled();
  const reader = deployReader(directory, {
    operators: () => [{ id: '1', name: 'o' }],
    settled: async () => {},
  });
  const text = JSON.stringify(await reader.read('1'));
  t.ok(text.includes('first') && text.includes('second'), text);
});

const applicationId = 'application_1_0001';
const runningRecord = {
  id: applicationId,
  user: 'ann',
  name: 'a',
  queue: 'default',
  diagnostics: '',
  isSystemApp: false,
  startedTime: 1,
  finishedTime: 0,
  state: 'RUNNING',
  finalStatus: 'UNDEFINED',
  application: { operators: [], streams: [] },
} satisfies ApplicationRecord;

async function storeWithOne(t: Test) {
  const store = createStore(testFolder(t));
  await store.begin(1, '');
  await store.create(runningRecord);
  const folder = store.directoryOf(applicationId);
  const load = async (toldDamaged: readonly string[] = []) => {
    const damaged: string[] = [];
    const found = await store.load(2, (appId, part) => damaged.push(`${part} of ${appId}`));
    t.strictSame(damaged, toldDamaged);
    return found;
  };
  /** No other record is written any more: what is in the way is not a file. */
  const refuse = () => mkdirSync(join(folder, 'application.json.part'));
  return { store, folder, load, refuse };
}

t.test('an application is listed also when its end can not be written', async (t) => {
  const { load, refuse } = await storeWithOne(t);
  refuse();
  t.match(await load(), [
    {
      record: { id: applicationId, state: 'FAILED', failure: { code: 'HOST_STOPPED' } },
      snapshot: emptySnapshot,
    },
  ]);
});

t.test('what is told of an ended application is as old as its record', async (t) => {
  const { store, load, refuse } = await storeWithOne(t);
  const ended = { ...runningRecord, state: 'KILLED', finalStatus: 'KILLED' } as const;
  const withProperties = (label: string) => ({ ...emptySnapshot, properties: { '1': { label } } });
  await store.keep({ ...ended, diagnostics: 'first' }, withProperties('first'));
  refuse();
  await t.rejects(store.keep({ ...ended, diagnostics: 'second' }, withProperties('second')));
  t.match(await load(), [{ record: { diagnostics: 'first' }, snapshot: withProperties('first') }]);
});

t.test('an application whose last looks can not be read is there, and goes on from what was saved', async (t) => {
  const { store, folder, load } = await storeWithOne(t);
  const saved = { window: 7, states: { 'files/0': '1-7-1' } };
  await store.keep({ ...runningRecord, saved }, emptySnapshot);
  const path = join(folder, 'application.json');
  // As a number that is none is written.
  writeFileSync(path, readFileSync(path, 'utf8').replace('"containers":[]', '"containers":[null]'));
  const kept = [{ record: { id: applicationId, state: 'FAILED', saved }, snapshot: emptySnapshot }];
  t.match(await load([`snapshot of ${applicationId}`]), kept);
  t.match(await load(), kept, 'it is told once');
  writeFileSync(path, '{"id":');
  t.strictSame(await load([`record of ${applicationId}`]), []);
});

t.test('an application whose snapshot has a file of its own, as older engines wrote it', async (t) => {
  const { folder, load } = await storeWithOne(t);
  const snapshot = { ...emptySnapshot, metrics: { out: { lines: 3 } } };
  writeFileSync(join(folder, 'snapshot.json'), JSON.stringify(snapshot));
  t.match(await load(), [{ snapshot: { metrics: { out: { lines: 3 } } } }]);
  t.match(await load(), [{ record: { state: 'FAILED' }, snapshot: { metrics: { out: { lines: 3 } } } }]);
});

t.test(
  'an end that the disk does not take is tried once a look, and does not keep the engine open',
  async (t) => {
    const root = testFolder(t);
    const directory = join(root, 'engine');
    const { driver, launch, reached } = await openCluster(t, { directory, execPath: bareRuntime(root) });
    const appId = await launch({ operators: [op('source', 'Sequence', { total: 1e9 })], streams: [] });
    await reached(appId, 'RUNNING');
    // Nothing can be written under this name any more. The engine may be writing there at this very moment.
    const part = join(directory, 'apps', appId, 'application.json.part');
    await eventually(() => {
      rmSync(part, { force: true });
      try {
        mkdirSync(part);
        return part;
      } catch {
        return undefined;
      }
    });
    await driver.resourceManager.kill(appId);
    await reached(appId, 'KILLED');
    t.match(await driver.resourceManager.listApplications(), [{ id: appId, state: 'KILLED' }]);
    await driver.close();
    t.pass('it closes');
  },
);

t.test('what a restart copied is never taken for a checkpoint of its own', async (t) => {
  const store = createStore(testFolder(t));
  const checkpoints = (appId: string) => join(store.directoryOf(appId), 'checkpoints');
  const [first, second, third] = ['application_1_0001', 'application_2_0001', 'application_3_0001'] as const;
  mkdirSync(checkpoints(first), { recursive: true });
  mkdirSync(store.directoryOf(second));
  mkdirSync(store.directoryOf(third));
  writeFileSync(join(checkpoints(first), '1-111-1'), 'of the first');
  const saved = { window: 111, states: { 'source/0': '1-111-1', 'none/0': null } };
  const copy = await store.copyState(first, second, saved);
  t.strictSame([copy.window, copy.states['none/0']], [111, null]);
  // It comes to the same window in its turn, and needs the copy no more.
  writeFileSync(join(checkpoints(second), '1-111-1'), 'of the second');
  rmSync(join(checkpoints(second), copy.states['source/0'] ?? ''));
  t.strictSame(readdirSync(checkpoints(second)), ['1-111-1']);
  const again = await store.copyState(second, third, saved);
  t.strictSame((await store.copyState(third, first, again)).states, again.states, 'names do not grow');
});

t.test(
  'a container whose log files can not be made is started all the same, and its end is told',
  async (t) => {
    const root = testFolder(t, { file: '' });
    await new Promise<void>((resolve) => {
      const agent = startContainer({
        containerId: 'container_1',
        program: import.meta.filename,
        execPath: process.execPath,
        execArgv: [],
        env: {},
        memoryMB: 64,
        logDirectory: join(root, 'file', 'logs'),
        publish: () => true,
        subscribe: () => silent,
        onMessage: silent,
        onExit: () => resolve(),
      });
      agent.kill();
    });
    t.pass('it has ended');
  },
);

t.test('the record of a launch that the storage did not take is written later', async (t) => {
  const storage = memoryStorage();
  let isFull = true;
  const documents = {
    ...storage.documents,
    write: async (...args: Parameters<typeof storage.documents.write>) => {
      if (isFull) throw new StorageFailed('the disk is full');
      return storage.documents.write(...args);
    },
  };
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const records = await openLaunchRecords({ ...storage, documents }, logger);
  const record = { user: 'ann', launchedAt: 1, isSystemApp: false };
  await t.rejects(records.add('application_1_0001', record));
  const zero = {
    startedTime: 0,
    finishedTime: 0,
    elapsedTime: 0,
    runningContainers: 0,
    allocatedMB: 0,
    allocatedVCores: 0,
    observedAt: 0,
  };
  const report = {
    ...zero,
    id: 'application_1_0001',
    name: 'a',
    queue: 'q',
    user: 'yarn',
    diagnostics: '',
    trackingUrl: '',
    applicationType: '',
    currentAttemptId: '',
    isSystemApp: false,
    state: 'RUNNING',
    finalStatus: 'UNDEFINED',
  } as const;
  t.match(records.complete(report), { user: 'ann' });
  isFull = false;
  records.complete(report);
  await new Promise(setImmediate);
  records.complete(report);
  await new Promise(setImmediate);
  const later = await openLaunchRecords(storage, logger);
  t.match(later.get('application_1_0001'), { user: 'ann' });
});

t.test('permissions that were being written to the cluster when the gateway ended are whole', async (t) => {
  const storage = memoryStorage();
  let file = '';
  let isCut = false;
  const files = {
    list: async () => undefined,
    readText: async () => (file === '' ? undefined : file),
    async *stream() {},
    async writeText(_path: string, text: string) {
      file = isCut ? text.slice(0, 10) : text;
      // A file system that writes over the file, and a gateway that ends meanwhile.
      if (isCut) await new Promise(() => {});
    },
    remove: async () => true,
    close: async () => {},
  };
  const opened = () =>
    permissionStore({
      files,
      storage,
      folderOf: (appId) => appId,
      clock: machineClock,
      logger: { debug: silent, info: silent, warn: silent, error: silent },
      backOffMillis: 1000,
    });
  const rulesFor = (userName: string) => ({
    readOnly: { users: [userName], roles: [], everyone: false },
    readWrite: { users: [], roles: [], everyone: false },
  });
  await opened().write('application_1_0001', rulesFor('ann'));
  t.match(await opened().read('application_1_0001'), rulesFor('ann'));
  isCut = true;
  void opened().write('application_1_0001', rulesFor('bob'));
  await new Promise(setImmediate);
  t.match(await opened().read('application_1_0001'), rulesFor('bob'));
});
