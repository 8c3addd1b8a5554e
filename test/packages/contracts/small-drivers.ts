import { type ChildProcess, spawn } from 'node:child_process';
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AuthContext,
  type Authenticator,
  type ClusterDriver,
  Conflict,
  ContainerFailed,
  type ContainerReport,
  type ContainerRuntime,
  type Identity,
  NotFound,
  type Secrets,
} from 'headgate/driver-kit';

// The smallest drivers that keep what their interfaces promise.

const build = { version: '1', buildDate: '', buildRevision: '', buildVersion: '', buildUser: '' };

/** Looks at a cluster where others launch: two applications that have ended, and no facet but queues. */
export function smallCluster(): ClusterDriver {
  const ids = ['application_1_0002', 'application_1_0003'];
  const report = (id: string) => ({
    id,
    name: id,
    queue: 'default',
    state: 'KILLED' as const,
    finalStatus: 'KILLED' as const,
    startedTime: 1,
    finishedTime: 2,
    elapsedTime: 1,
    diagnostics: '',
    trackingUrl: '',
    user: 'ann',
    applicationType: 'STREAMING',
    currentAttemptId: '',
    runningContainers: -1,
    allocatedMB: 0,
    allocatedVCores: 0,
    observedAt: 3,
  });
  const known = (id: string) => {
    if (!ids.includes(id)) throw new NotFound('application', id);
    return id;
  };
  const over = async (): Promise<never> => {
    throw new Conflict('APPLICATION_ENDED', 'It has ended');
  };
  return {
    name: 'small',
    masterFacets: [],
    open: async () => {},
    close: async () => {},
    master: async (id) => {
      known(id);
      return {
        info: over,
        physicalPlan: over,
        logicalPlan: over,
        logicalOperators: over,
        containers: over,
        shutdown: over,
      };
    },
    resourceManager: {
      listApplications: async () => ids.map(report),
      getApplication: async (id) => report(known(id)),
      kill: async (id) => {
        known(id);
        return over();
      },
      about: async () => ({
        engine: build,
        cluster: build,
        location: 'here',
        securityEnabled: false,
        haEnabled: false,
      }),
      metrics: async () => ({
        averageAge: 0,
        cpuPercentage: 0,
        currentMemoryAllocatedMB: 0,
        maxMemoryAllocatedMB: 0,
        numAppsFailed: 0,
        numAppsFinished: 0,
        numAppsKilled: 2,
        numAppsPending: 0,
        numAppsRunning: 0,
        numAppsSubmitted: 2,
        numContainers: 0,
        numOperators: 0,
        tuplesEmittedPSMA: 0,
        tuplesProcessedPSMA: 0,
      }),
      queues: {
        list: async () => [
          { name: 'default', state: 'RUNNING', capacity: 100, currentCapacity: 0, maxCapacity: 100 },
        ],
      },
    },
  };
}

/** Passwords of the gateway's accounts, and sessions in memory. */
export function smallAuthenticator(): Authenticator {
  const idleMillis = 30 * 60_000;
  const open = new Map<string, { readonly identity: Identity; used: number }>();
  const listeners = new Set<(sessionId: string) => void>();
  let context: AuthContext | undefined;
  const now = () => context?.clock.monotonic() ?? 0;
  const secretOf = (cookie: string | undefined) =>
    /(?:^|; ?)small=([\w-]{43})(?:;|$)/.exec(cookie ?? '')?.[1] ?? '';

  function end(secret: string): void {
    const session = open.get(secret);
    if (session && open.delete(secret)) for (const tell of listeners) tell(session.identity.sessionId ?? '');
  }
  function current(secret: string) {
    const session = open.get(secret);
    if (session && now() - session.used > idleMillis) end(secret);
    return open.get(secret);
  }
  function use(secret: string): Identity | undefined {
    const session = current(secret);
    if (session) session.used = now();
    return session?.identity;
  }

  return {
    authenticate: async ({ headers }) => use(secretOf(headers.cookie)),
    open: (given) => {
      context = given;
    },
    forget(userName, exceptSessionId) {
      for (const [secret, { identity }] of open)
        if (identity.userName === userName && identity.sessionId !== exceptSessionId) end(secret);
    },
    close() {
      for (const secret of open.keys()) end(secret);
    },
    sessions: {
      verify: async (credentials, request) =>
        (await context?.verifyPassword(credentials, request))
          ? { userName: credentials.userName }
          : undefined,
      open({ userName }, { headers }) {
        end(secretOf(headers.cookie));
        const secret = randomBytes(32).toString('base64url');
        const identity = { userName, sessionId: randomUUID() };
        open.set(secret, { identity, used: now() });
        return { identity, setCookie: `small=${secret}; Path=/; HttpOnly; SameSite=Lax` };
      },
      end({ headers }) {
        end(secretOf(headers.cookie));
        return { setCookie: 'small=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax' };
      },
      touch: (sessionId) =>
        [...open].some(
          ([secret, { identity }]) => identity.sessionId === sessionId && use(secret) !== undefined,
        ),
      onEnd(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

export const smallSecrets = (key: Buffer, iv = () => randomBytes(12)): Secrets => ({
  async seal(text, purpose) {
    const own = iv();
    const cipher = createCipheriv('aes-256-gcm', key, own).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([own, cipher.getAuthTag(), sealed]).toString('hex');
  },
  async unseal(sealed, purpose) {
    if (!/^(?:[0-9a-f]{2}){28,}$/.test(sealed)) throw new Error('It never was sealed');
    const bytes = Buffer.from(sealed, 'hex');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  },
});

interface Running {
  readonly child: ChildProcess;
  readonly report: ContainerReport;
}

/** Scripts of `sh`, as children of this process: `machine` stays while drivers come and go. */
export function smallRuntime(machine: Map<string, Running>): ContainerRuntime {
  let owner = '';
  const keyOf = (name: string) => `${owner}/${name}`;
  const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;
  async function stop(name: string, graceMillis: number): Promise<void> {
    const found = machine.get(keyOf(name));
    if (!found || hasEnded(found.child)) return;
    const ended = once(found.child, 'exit');
    found.child.kill('SIGTERM');
    if ((await Promise.race([ended, delay(graceMillis, 'late')])) === 'late') found.child.kill('SIGKILL');
    await ended;
  }
  const reportOf = ({ child, report }: Running): ContainerReport =>
    hasEnded(child)
      ? { ...report, state: 'ended', reason: `It ended with code ${child.exitCode ?? child.signalCode}` }
      : report;

  return {
    name: 'small',
    open: async (context) => {
      owner = context.owner;
    },
    info: async () => ({ version: '1.0' }),
    check: () => [],
    async install({ run: [program] }) {
      if (program !== 'sh') throw new ContainerFailed(`There is no program ${program} here`);
    },
    async start({ name, revision, run: [program = '', ...args] }) {
      const before = machine.get(keyOf(name));
      if (before && !hasEnded(before.child)) throw new Conflict('CONTAINER_RUNNING', `${name} runs`);
      const child = spawn(program, args, { stdio: 'ignore' });
      await once(child, 'spawn');
      const report = { id: randomUUID(), name, revision, state: 'running' as const, startedTime: Date.now() };
      machine.set(keyOf(name), { child, report });
      return report;
    },
    stop: (name, { graceMillis }) => stop(name, graceMillis),
    async remove(name) {
      await stop(name, 0);
      machine.delete(keyOf(name));
    },
    list: async () =>
      [...machine].filter(([key]) => key.startsWith(`${owner}/`)).map(([, one]) => reportOf(one)),
    close: async () => {},
  };
}
