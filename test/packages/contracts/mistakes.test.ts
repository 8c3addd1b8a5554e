import { randomBytes } from 'node:crypto';
import t from 'tap';
import { httpHandler } from '../../../adapters/host/http.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import type { Gateway } from '../../../lib/index.js';
import {
  authenticatorContract,
  clusterContract,
  containerRuntimeContract,
  hostContract,
  type Suite,
  secretsContract,
  storageContract,
} from '../../../packages/contracts/index.js';
import { hostOf, notTheGateway } from '../../helpers/hosts.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { smallAuthenticator, smallCluster, smallRuntime, smallSecrets } from './small-drivers.js';

// A driver that keeps what its interface says passes its contract; one with a mistake is told which.

type Contract = (suite: Suite) => Promise<void>;

/** Runs a contract, or those of its tests whose names match, one after the other. */
async function outcome(contract: Contract, only = /./) {
  const [passed, skipped, failed]: [string[], string[], string[]] = [[], [], []];
  let last = Promise.resolve();
  const run = async (name: string, test: (...context: unknown[]) => Promise<void>) => {
    const before = skipped.length;
    const skip = (message: string) => void skipped.push(`${name}: ${message}`);
    try {
      await test({ skip });
      if (skipped.length === before) passed.push(name);
    } catch (error) {
      failed.push(`${name}: ${error}`);
    }
  };
  await contract({
    test(name, test) {
      if (only.test(name)) last = last.then(() => run(name, test));
      return last;
    },
  });
  await last;
  return { passed, skipped, failed };
}

/** Long enough for any that ends, where nothing hangs on purpose. */
const closeMillis = 200;
const hanging = () => new Promise<void>(() => {});

const storages = (change: (storage: ReturnType<typeof memoryStorage>) => object): Contract => {
  const create = async () => {
    const storage = memoryStorage();
    return Object.assign(storage, change(storage));
  };
  return (suite) => storageContract(suite, { create, closeMillis });
};
const clusters = (change: (driver: ReturnType<typeof smallCluster>) => object): Contract => {
  const create = async () => {
    const driver = smallCluster();
    return Object.assign(driver, change(driver));
  };
  const unknownId = 'application_1_0001';
  return (suite) =>
    clusterContract(suite, { create, context: async () => silentContext([]), unknownId, closeMillis });
};
const managers = (change: object): Contract =>
  clusters(({ resourceManager }) => ({ resourceManager: { ...resourceManager, ...change } }));

const credentials = { userName: 'ann', password: 'open sesame' };
const authenticators = (change: (driver: ReturnType<typeof smallAuthenticator>) => object): Contract => {
  const create = () => {
    const driver = smallAuthenticator();
    return Object.assign(driver, change(driver));
  };
  return (suite) => authenticatorContract(suite, { create, credentials, closeMillis });
};
const sessions = (change: object): Contract =>
  authenticators((driver) => ({ sessions: { ...driver.sessions, ...change } }));

const key = randomBytes(32);
const secrets = (change: (driver: ReturnType<typeof smallSecrets>) => object): Contract => {
  const create = () => {
    const driver = smallSecrets(key);
    return Object.assign(driver, change(driver));
  };
  return (suite) => secretsContract(suite, { create, createOther: () => smallSecrets(randomBytes(32)) });
};

const runtimes = (change: (driver: ReturnType<typeof smallRuntime>) => object): Contract => {
  const machine: Parameters<typeof smallRuntime>[0] = new Map();
  const create = () => {
    const driver = smallRuntime(machine);
    return Object.assign(driver, change(driver));
  };
  return (suite) =>
    containerRuntimeContract(suite, {
      create,
      script: (script) => ({ run: ['sh', '-c', script] }),
      missing: { run: ['no-such-program'] },
      closeMillis,
    });
};

const plainHost = (gateway: Gateway) => {
  const handle = httpHandler(gateway);
  return hostOf(gateway, async (req, res) => {
    if (!(await handle(req, res))) notTheGateway(req, res);
  });
};

const asTheyAre = () => ({});

t.test('drivers without mistakes pass; what they do not offer is skipped and named', async (t) => {
  const cases: readonly (readonly [string, Contract, readonly RegExp[]])[] = [
    ['storage', storages(asTheyAre), [/not tried without `reopen`/]],
    [
      'cluster',
      clusters(asTheyAre),
      [
        /offer resourceManager\.launcher$/,
        /offer resourceManager\.configuration$/,
        /offer resourceManager\.forwarder$/,
      ],
    ],
    ['authenticator', authenticators(asTheyAre), [/not tried without `known`/]],
    ['secrets', secrets(asTheyAre), []],
    [
      'container runtime',
      runtimes(asTheyAre),
      [
        /without `exec`/,
        /without `limited`/,
        /without `refused`/,
        /without `fetched`/,
        /without `createUnreachable`/,
      ],
    ],
    ['host', (suite) => hostContract(suite, { start: plainHost }), []],
  ];
  for (const [kind, contract, expected] of cases) {
    const { passed, skipped, failed } = await outcome(contract);
    t.strictSame(failed, [], kind);
    t.ok(passed.length >= 3, `${kind}: ${passed.length} tests passed`);
    for (const message of expected)
      t.ok(
        skipped.some((line) => message.test(line)),
        `${kind}: ${message}`,
      );
    if (expected.length === 0) t.strictSame(skipped, [], kind);
  }
});

t.test('each mistake is named', async (t) => {
  const mistakes: readonly (readonly [what: string, Contract, only: RegExp, told: RegExp])[] = [
    [
      'a blob that is closed can still be read',
      storages(({ blobs }) => ({
        blobs: {
          ...blobs,
          open: async (key: string) => ({ ...(await blobs.open(key)), close: async () => {} }),
        },
      })),
      /goes on after its blob was closed/,
      /new reads do not: AssertionError.*Missing expected exception/,
    ],
    [
      'a digest in capitals',
      storages(({ blobs }) => ({
        blobs: {
          ...blobs,
          write: async (...args: Parameters<typeof blobs.write>) => {
            const info = await blobs.write(...args);
            return { ...info, digest: info.digest.toUpperCase() };
          },
        },
      })),
      /blobs: what was written/,
      /storage: blobs\.write\(\) gives a wrong answer: digest: is no SHA-256/,
    ],
    [
      'a delete that tells nothing',
      storages(({ blobs }) => ({
        blobs: { ...blobs, delete: async (key: string) => void (await blobs.delete(key)) },
      })),
      /deleting nothing is told/,
      /storage: blobs\.delete\(\) gives a wrong answer: is missing/,
    ],
    [
      'an etag that is none',
      storages(({ documents }) => ({
        documents: { ...documents, get: async () => ({ value: null, etag: '*' }) },
      })),
      /every JSON value/,
      /storage: documents\.get\(\) gives a wrong answer: etag: can't be "\*"/,
    ],
    [
      'a storage whose close hangs',
      storages(() => ({ close: hanging })),
      /nothing is wrong with a new one/,
      /close\(\) of the storage has not ended within 200 ms/,
    ],
    [
      'metrics of text',
      managers({
        metrics: async () => ({ ...(await smallCluster().resourceManager.metrics()), numAppsRunning: '1' }),
      }),
      /metrics, versions/,
      /cluster driver small: resourceManager\.metrics\(\) gives a wrong answer: numAppsRunning: .*expected number, received string/,
    ],
    [
      'a queue without its capacity',
      managers({
        queues: { list: async () => [{ name: 'a', state: 'RUNNING', currentCapacity: 0, maxCapacity: 1 }] },
      }),
      /queues/,
      /resourceManager\.queues\.list\(\) gives a wrong answer: 0\.capacity: is missing/,
    ],
    [
      'an answer without a promise',
      managers({ about: () => ({}) }),
      /metrics, versions/,
      /resourceManager\.about\(\) gives a wrong answer: gives no promise/,
    ],
    [
      'nothing for what is unknown',
      managers({ getApplication: async () => undefined }),
      /what is unknown is NotFound/,
      /resourceManager\.getApplication\(\) gives a wrong answer: is missing/,
    ],
    [
      'an error of another kind for what is unknown',
      clusters(() => ({ master: async () => Promise.reject(new Error('who?')) })),
      /what is unknown is NotFound/,
      /instance of "NotFound"[\s\S]*who\?/,
    ],
    [
      'a master that can do nothing',
      clusters(() => ({ master: async () => ({}) })),
      /metrics, versions/,
      /master\(\) gives a wrong answer: info: is no function/,
    ],
    [
      'a cluster driver whose close hangs',
      clusters(() => ({ close: hanging })),
      /metrics, versions/,
      /close\(\) of the cluster driver small has not ended within 200 ms/,
    ],
    [
      'an authenticator that stumbles over a header',
      authenticators(() => ({
        authenticate: async ({ headers }: { headers: { authorization?: string } }) =>
          headers.authorization?.startsWith('Basic') ? Promise.reject(new Error('no Basic here')) : undefined,
      })),
      /stray cookies/,
      /no Basic here/,
    ],
    [
      'an identity without a name',
      authenticators(() => ({ authenticate: async () => ({ groups: [] }) })),
      /stray cookies/,
      /authenticator: authenticate\(\) gives a wrong answer: userName: is missing/,
    ],
    [
      'a session without an id',
      sessions({ open: () => ({ identity: { userName: 'ann' }, setCookie: 'a=b' }) }),
      /each login is a session/,
      /authenticator: sessions\.open\(\) gives a wrong answer: identity\.sessionId: is missing/,
    ],
    [
      'a session that nobody can end by force',
      authenticators(() => ({ forget: undefined })),
      /is forgotten/,
      /an authenticator with sessions can forget/,
    ],
    [
      'an authenticator whose close hangs',
      authenticators(() => ({ close: hanging })),
      /stray cookies/,
      /close\(\) of the authenticator has not ended within 200 ms/,
    ],
    [
      'seals that show which texts are the same',
      secrets(() => smallSecrets(key, () => Buffer.alloc(12))),
      /nor that two texts are the same/,
      /nor that two texts are the same: AssertionError/,
    ],
    [
      'seals that open for any purpose',
      secrets(() => {
        const { seal, unseal } = smallSecrets(key);
        return { seal: (text: string) => seal(text, ''), unseal: (sealed: string) => unseal(sealed, '') };
      }),
      /does not open for another/,
      /Missing expected rejection/,
    ],
    [
      'an opened secret of bytes',
      secrets(({ unseal }) => ({
        unseal: async (sealed: string, purpose: string) => Buffer.from(await unseal(sealed, purpose)),
      })),
      /comes back/,
      /keeper of secrets: unseal\(\) gives a wrong answer: .*expected string/,
    ],
    [
      'a state that there is not',
      runtimes(({ list }) => ({
        list: async () => (await list()).map((report) => ({ ...report, state: 'exited' })),
      })),
      /ends by itself/,
      /container runtime small: list\(\) gives a wrong answer: 0\.state: Invalid option/,
    ],
    [
      'a check that tells nothing',
      runtimes(() => ({ check: () => undefined })),
      /not known yet fits everywhere/,
      /container runtime small: check\(\) gives a wrong answer: is missing/,
    ],
    [
      'a container runtime whose close hangs',
      runtimes(() => ({ close: hanging })),
      /tells its version/,
      /close\(\) of the container runtime small has not ended within 200 ms/,
    ],
    [
      'a host that answers for the gateway',
      (suite) => hostContract(suite, { start: (gateway) => hostOf(gateway, (_, res) => void res.end('{}')) }),
      /exactly application\/json/,
      /AssertionError/,
    ],
    [
      'a host whose close hangs',
      (suite) =>
        hostContract(suite, {
          start: async (gateway) => {
            const host = await plainHost(gateway);
            t.teardown(host.close);
            return { ...host, close: hanging };
          },
          closeMillis,
        }),
      /exactly application\/json/,
      /close\(\) of the host has not ended within 200 ms/,
    ],
  ];
  for (const [what, contract, only, told] of mistakes) {
    const { passed, failed } = await outcome(contract, only);
    t.strictSame(passed, [], `${what}: nothing of it passed`);
    t.match(failed.join('\n'), told, what);
  }
});

t.test('a runner whose tests get nothing is told of skipped ones in the output', async (t) => {
  const written: string[] = [];
  const { write } = process.stdout;
  const lines = t.capture(process.stdout, 'write', (text: string | Uint8Array) => {
    if (!String(text).startsWith('# secrets: ')) return write.call(process.stdout, text);
    written.push(String(text));
    return true;
  });
  await secretsContract({ test: (_, run) => run() }, { create: () => smallSecrets(key) });
  lines.restore();
  t.strictSame(written, [
    '# secrets: another key does not open it: skipped, not tried without `createOther`\n',
  ]);
});
