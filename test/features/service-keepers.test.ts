import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { createDependents } from '../../lib/features/services/dependents.js';
import { createKeepers } from '../../lib/features/services/keepers.js';
import type { ServiceKind } from '../../lib/features/services/kind.js';
import { defaultServiceLimits } from '../../lib/features/services/options.js';
import { NamedService } from '../../lib/features/services/schema.js';
import { StoredService } from '../../lib/features/services/stored.js';
import { machineClock } from '../../lib/options.js';
import { loggerInto } from '../helpers/gateway.js';

// What is under way at the very moment when a gateway closes; the storage says when a write is done.

/** Services of a kind that needs no time, except to be removed: that lasts until it is given up. */
function place() {
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
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    look: async () => new Map(),
  };
  const keepers = createKeepers({
    documents: {
      ...documents,
      async write(batch) {
        const states = batch.map((write) => write.op === 'put' && StoredService.parse(write.value).state);
        if (states.some((state) => state === held.state)) {
          held.reached();
          await held.until;
        }
        return documents.write(batch);
      },
    },
    kinds: { container: kind, engine: kind },
    resolver: () => async (text) => text,
    limits: defaultServiceLimits,
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
    keepers,
    hold,
    async add() {
      const [keeper] = await keepers.add([service], { installedBy: 'ada' });
      if (!keeper) throw new Error('Nothing was added');
      return keeper;
    },
    kept: async () => StoredService.parse((await documents.get('services', 'one'))?.value).state,
  };
}

const never = new AbortController().signal;

t.test('what was being kept begins nothing any more', async (t) => {
  const { keepers, hold, add, done, kept } = place();
  const { reached, release } = hold('STARTING');
  await add();
  await reached;
  const closed = keepers.close({ stop: true });
  release();
  await closed;
  await turn();
  t.strictSame(done, ['install one'], 'nothing runs that nobody would stop');
  t.equal(await kept(), 'STARTING', 'the next gateway starts it');
});

t.test('nor does what is added meanwhile', async (t) => {
  const { keepers, hold, add, done, kept } = place();
  const { reached, release } = hold('INSTALLING');
  const adding = add();
  await reached;
  await keepers.close({ stop: false });
  release();
  const keeper = await adding;
  await turn();
  t.strictSame(done, []);
  t.equal(await kept(), 'INSTALLING');
  await t.rejects(
    keeper.until(() => false, never),
    { message: /closing/ },
    'nobody waits for it',
  );
});

t.test('what is being removed is stopped, and still to be removed', async (t) => {
  const { keepers, add, done, kept } = place();
  const keeper = await add();
  await keeper.until(({ isAtRest, life }) => isAtRest && life !== undefined, never);
  await keeper.send('delete');
  await keepers.close({ stop: true });
  t.strictSame(done, ['install one', 'install one', 'start one', 'stop one']);
  t.equal(await kept(), 'REMOVING');
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
