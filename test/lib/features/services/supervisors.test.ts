import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import type { ServiceKind } from '../../../../lib/features/services/kinds/kind.js';
import { createDependents } from '../../../../lib/features/services/launches/dependents.js';
import { defaultServiceLimits, type ServiceLimits } from '../../../../lib/features/services/options.js';
import { NamedService } from '../../../../lib/features/services/schema.js';
import { StoredService } from '../../../../lib/features/services/stored.js';
import { createServiceRegistry } from '../../../../lib/features/services/supervision/service-registry.js';
import { createSupervisors } from '../../../../lib/features/services/supervision/supervisors.js';
import { StorageFailed } from '../../../../lib/model/errors.js';
import { machineClock } from '../../../../lib/options.js';
import { loggerInto } from '../../../helpers/gateway.js';

// What is under way at the very moment when a gateway closes; the storage says when a write is done.

const not = () => false;

/** Services of a kind that needs no time, except to be removed: that lasts until it is given up. */
function place({
  isRemoved = not,
  isFull = not,
  isLost = not,
  limits = {},
}: {
  isRemoved?: () => boolean;
  isFull?: (state: string | undefined) => boolean;
  /** Of which the storage says that they failed, though they are made. */
  isLost?: (state: string | undefined) => boolean;
  limits?: Partial<ServiceLimits>;
} = {}) {
  const { documents } = memoryStorage();
  const done: string[] = [];
  const held = { state: '', reached: () => {}, until: Promise.resolve() };
  const kind: ServiceKind = {
    check() {},
    async requireReachable() {},
    async install({ name }) {
      done.push(`install ${name}`);
      return undefined;
    },
    async start({ name }) {
      done.push(`start ${name}`);
      return { id: '1', state: 'running', startedTime: Date.now() };
    },
    async stop({ name }) {
      done.push(`stop ${name}`);
    },
    remove: (_order, _life, signal) =>
      new Promise((resolve, reject) => {
        // It may have been given up already.
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
        if (isRemoved()) resolve();
      }),
    look: async () => new Map(),
  };
  const supervisors = createSupervisors({
    documents: {
      ...documents,
      async write(batch) {
        const states = batch.map((write) =>
          write.op === 'put' ? StoredService.parse(write.value).state : undefined,
        );
        if (states.some(isFull)) throw new StorageFailed('The disk is full');
        if (states.some((state) => state === held.state)) {
          held.reached();
          await held.until;
        }
        const written = await documents.write(batch);
        if (states.some(isLost)) throw new StorageFailed('Whether it was made shows when the disk is well');
        return written;
      },
    },
    registry: createServiceRegistry(),
    kinds: { container: kind, engine: kind },
    resolver: () => async (text) => text,
    limits: { ...defaultServiceLimits, ...limits },
    clock: machineClock,
    logger: loggerInto([]),
  });
  /** Resolves when this state is being written, which lasts until `release`. */
  function hold(state: StoredService['state']) {
    let release = () => {};
    held.state = state;
    held.until = new Promise((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      held.reached = resolve;
    });
    return { reached, release: () => release() };
  }
  const service = NamedService.parse({ name: 'one', type: 'container', container: { run: 'true' } });
  return {
    done,
    supervisors,
    hold,
    async add() {
      const [supervisor] = await supervisors.add([service], { installedBy: 'ada' });
      if (!supervisor) throw new Error('Nothing was added');
      return supervisor;
    },
    /** A write that the storage reported as failed. */
    async putBehind() {
      const { name, ...definition } = service;
      const value = { definition, state: 'INSTALLING', enabled: true, installedBy: 'ada', installedTime: 0 };
      await documents.write([{ op: 'put', collection: 'services', key: name, value }]);
    },
    kept: async () => StoredService.parse((await documents.get('services', 'one'))?.value).state,
  };
}

const never = new AbortController().signal;

t.test('what was being kept begins nothing any more', async (t) => {
  const { supervisors, hold, add, done, kept } = place();
  const { reached, release } = hold('STARTING');
  await add();
  await reached;
  const closed = supervisors.close({ stop: true });
  release();
  await closed;
  await turn();
  t.strictSame(done, ['install one'], 'nothing runs that nobody would stop');
  t.equal(await kept(), 'STARTING', 'the next gateway starts it');
});

t.test('nor does what is added meanwhile', async (t) => {
  const { supervisors, hold, add, done, kept } = place();
  const { reached, release } = hold('INSTALLING');
  const adding = add();
  await reached;
  await supervisors.close({ stop: false });
  release();
  const supervisor = await adding;
  await turn();
  t.strictSame(done, []);
  t.equal(await kept(), 'INSTALLING');
  await t.rejects(
    supervisor.until(() => false, never),
    { message: /closing/ },
    'nobody waits for it',
  );
});

t.test('what is being removed is stopped, and still to be removed', async (t) => {
  const { supervisors, add, done, kept } = place();
  const supervisor = await add();
  await supervisor.until(({ isAtRest, life }) => isAtRest && life !== undefined, never);
  await supervisor.send('delete');
  await supervisors.close({ stop: true });
  t.strictSame(done, ['install one', 'install one', 'start one', 'stop one']);
  t.equal(await kept(), 'REMOVING');
});

t.test('a service whose state could not be kept goes on when it can be', async (t) => {
  const pass = { refused: 0, full: true };
  const isFull = (state: string | undefined) => {
    const refuses = pass.full && state !== 'INSTALLING' && state !== 'STOPPING' && state !== 'REMOVING';
    if (refuses) pass.refused++;
    return refuses;
  };
  const { supervisors, add } = place({
    isRemoved: () => true,
    isFull,
    limits: { retryFirstMillis: 2, retryMostMillis: 10 },
  });
  t.teardown(() => supervisors.close({ stop: false }));
  /** The disk is full until the state has been refused some times. */
  const untilRefused = async () => {
    pass.refused = 0;
    while (pass.refused < 4) await turn();
    pass.full = false;
  };
  const supervisor = await add();
  await untilRefused();
  await supervisors.settled(supervisor, never);
  t.equal(supervisor.stored.state, 'RUNNING', 'after it was installed');

  pass.full = true;
  await supervisor.send('stop');
  await untilRefused();
  await supervisors.settled(supervisor, never);
  t.equal(supervisor.stored.state, 'STOPPED', 'after it was stopped');
  t.equal(supervisor.detail, undefined);

  pass.full = true;
  await supervisor.send('delete');
  await untilRefused();
  await supervisors.gone(supervisor, never);
  t.equal(supervisor.isGone, true, 'after it was removed');
});

t.test('a change that failed, and was made all the same, is not taken for undone', async (t) => {
  const lost = { state: '' };
  const { supervisors, add, kept } = place({ isLost: (state) => state === lost.state });
  t.teardown(() => supervisors.close({ stop: false }));
  const supervisor = await add();
  await supervisor.until(({ isAtRest, life }) => isAtRest && life !== undefined, never);
  lost.state = 'STOPPING';
  await t.rejects(supervisor.send('stop'), { code: 'STORAGE_FAILED' });
  t.equal(await kept(), 'STOPPING', 'the disk has it, though it said no');
  lost.state = '';
  await supervisor.send('start');
  t.equal(await kept(), 'RUNNING', 'who asks for what it was is not told yes without a write');
});

t.test('a service whose adding failed can be added again, whether it was written or not', async (t) => {
  const { supervisors, add, putBehind } = place();
  t.teardown(() => supervisors.close({ stop: false }));
  await putBehind();
  const supervisor = await add();
  await supervisors.settled(supervisor, never);
  t.equal(supervisor.stored.state, 'RUNNING');
});

/** Needs of applications, over one storage; all those that `ended` names have ended. */
async function dependentsOver(
  { documents } = memoryStorage(),
  ended: (appId: string) => boolean = () => true,
) {
  let time = 0;
  const dependents = createDependents({
    documents,
    applications: { stateOf: async () => undefined, endedAmong: async (ids) => ids.filter(ended) },
    clock: { now: () => ++time, monotonic: () => 0 },
  });
  await dependents.open();
  return dependents;
}
const { signal } = new AbortController();
const needing = (...services: string[]) => ({ appName: 'app', user: 'ann', services });

t.test('what a failed sweep found is told by the next one', async (t) => {
  const storage = memoryStorage();
  const { write } = storage.documents;
  let isFull = false;
  const documents = {
    ...storage.documents,
    write: async (batch: Parameters<typeof write>[0]) => {
      if (isFull && batch.some(({ key }) => key === 'b')) throw new Error('The disk is full');
      return write(batch);
    },
  };
  const dependents = await dependentsOver({ ...storage, documents });
  await dependents.add('a', needing('one'));
  await dependents.add('b', needing('two'));
  isFull = true;
  await t.rejects(dependents.sweep(signal), /full/);
  isFull = false;
  t.strictSame([...(await dependents.sweep(signal))].sort(), ['one', 'two']);
  t.strictSame(await dependents.sweep(signal), []);
});

t.test('those that ended last are remembered, also by the next gateway', async (t) => {
  const storage = memoryStorage();
  let oldestRuns = true;
  const first = await dependentsOver(storage, (appId) => !oldestRuns || appId !== 'app-000');
  const ids = Array.from({ length: 200 }, (_, i) => `app-${String(i).padStart(3, '0')}`);
  for (const id of ids) await first.add(id, needing('one'));
  await first.sweep(signal);
  oldestRuns = false;
  await first.sweep(signal);

  const next = await dependentsOver(storage);
  await next.add('app-200', needing('one'));
  await next.sweep(signal);
  const remembered = [...ids, 'app-200'].filter((id) => next.servicesBefore(id).length > 0);
  t.strictSame(remembered, ['app-000', ...ids.slice(2), 'app-200']);
});
