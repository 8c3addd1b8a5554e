import type { Call } from '../../http/route.js';
import { ContainerFailed } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Installation } from './installation.js';
import type { ServiceKind } from './kinds/kind.js';
import type { Dependents } from './launches/dependents.js';
import type { ServiceLimits } from './options.js';
import type { NamedService, ServiceInput, ServiceType } from './schema.js';
import type { Supervisor } from './supervision/supervisor.js';
import type { Supervisors } from './supervision/supervisors.js';

/** What users ask for. What is stopped or removed is waited for a while, and goes on by itself when it takes longer. */
interface ServiceRequests {
  put(call: Call, name: string, input: ServiceInput): Promise<void>;
  update(name: string, input: ServiceInput): Promise<void>;
  /** Waits for each that is new, unless `isAsync` is asked for. */
  install(call: Call, services: readonly NamedService[], options: { isAsync: boolean }): Promise<void>;
  start(name: string): Promise<void>;
  /** `message` names the applications that need it. */
  stop(name: string): Promise<{ message?: string }>;
  /** `message` names the applications that need it. */
  remove(name: string): Promise<{ message?: string }>;
}

export function createServiceRequests(deps: {
  readonly supervisors: Pick<Supervisors, 'require' | 'settled'>;
  readonly installation: Installation;
  readonly dependents: Pick<Dependents, 'of'>;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
  readonly hasRuntime: boolean;
  readonly limits: ServiceLimits;
}): ServiceRequests {
  const { supervisors, installation, dependents, kinds, hasRuntime, limits } = deps;

  async function ask(name: string, trigger: 'start' | 'stop' | 'delete'): Promise<Supervisor> {
    const supervisor = supervisors.require(name);
    const { type } = supervisor.stored.definition;
    // What was left behind by a host that has no runtime any more can be deleted.
    const needsNobody = trigger === 'delete' && type === 'container' && !hasRuntime;
    if (supervisor.wouldBegin(trigger) !== undefined && !needsNobody) await kinds[type].requireReachable();
    await supervisor.send(trigger);
    return supervisor;
  }

  /** A while: what takes longer goes on by itself. */
  const aWhile = (supervisor: Supervisor, fits: (supervisor: Supervisor) => boolean) =>
    withTimeout(limits.askMillis, `The service ${supervisor.name}`, undefined, (signal) =>
      supervisor.until(fits, signal),
    ).catch(() => {});

  async function orphaned(name: string, what: string): Promise<{ message?: string }> {
    const apps = await dependents.of(name);
    if (apps.length === 0) return {};
    const ids = apps.map(({ appId, appName }) => `${appName} (${appId})`).join(', ');
    return { message: `The service ${name} ${what}; these applications need it: ${ids}` };
  }

  return {
    put: (call, name, input) => installation.put(name, input, call.user.userName),
    async update(name, input) {
      const { enabled } = await installation.change(name, input);
      if (enabled) await ask(name, 'start');
    },
    async install({ user, signal }, services, { isAsync }) {
      const added = await installation.installAll(services, { installedBy: user.userName, at: 'body' });
      if (isAsync) return;
      await Promise.all(added.map((supervisor) => supervisors.settled(supervisor, signal)));
      requireNoneFailed(added);
    },
    start: async (name) => {
      await ask(name, 'start');
    },
    async stop(name) {
      const message = await orphaned(name, 'is stopped');
      await aWhile(await ask(name, 'stop'), ({ isAtRest }) => isAtRest);
      return message;
    },
    async remove(name) {
      const message = await orphaned(name, 'is deleted');
      await aWhile(await ask(name, 'delete'), ({ isGone }) => isGone);
      return message;
    },
  };
}

function requireNoneFailed(services: readonly Supervisor[]): void {
  const failed = services.filter(({ stored }) => stored.state === 'FAILED');
  if (failed.length === 0) return;
  throw new ContainerFailed(
    failed.map(({ name, detail }) => `The service ${name} did not come up: ${detail}`).join('; '),
  );
}
