import { withTimeout } from '../../runtime/with-timeout.js';
import type { ServiceKind } from './kinds/kind.js';
import type { Dependents } from './launches/dependents.js';
import type { ServiceLimits } from './options.js';
import type { ServiceType } from './schema.js';
import type { Supervisor } from './supervision/supervisor.js';
import type { Supervisors } from './supervision/supervisors.js';

/** What users ask of services that are there: each is waited for a while, and goes on by itself when it takes longer. */
interface ServiceRequests {
  start(name: string): Promise<void>;
  /** `message` names the applications that need it. */
  stop(name: string): Promise<{ message?: string }>;
  /** `message` names the applications that need it. */
  remove(name: string): Promise<{ message?: string }>;
}

export function createServiceRequests(deps: {
  readonly supervisors: Pick<Supervisors, 'require'>;
  readonly dependents: Pick<Dependents, 'of'>;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
  readonly hasRuntime: boolean;
  readonly limits: ServiceLimits;
}): ServiceRequests {
  const { supervisors, dependents, kinds, hasRuntime, limits } = deps;

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
