import { setTimeout as delay } from 'node:timers/promises';
import type { ApplicationReport, ClusterDriver } from '../../../interfaces/cluster.js';
import { Conflict, ContainerFailed, NotFound, undefinedIfUnknown } from '../../../model/errors.js';
import { createResourceManagerCalls } from '../../../runtime/resource-manager-calls.js';
import { withTimeout } from '../../../runtime/with-timeout.js';
import type { ServiceLimits } from '../options.js';
import { createApplicationMetadata } from './application-metadata.js';
import type { Life } from './kind.js';

/** Applications of the cluster, as lives of services. */
interface EngineApplications {
  /** Those that have not ended. */
  active(outer?: AbortSignal): Promise<readonly ApplicationReport[]>;
  /** `undefined`: the cluster does not know it. */
  report(appId: string, outer: AbortSignal): Promise<ApplicationReport | undefined>;
  lifeOf(report: ApplicationReport, signal: AbortSignal): Promise<Life>;
  /** Resolves when it has ended: with a grace it is asked first, and killed when it does not end by itself. */
  end(life: Life | undefined, graceMillis: number, signal: AbortSignal): Promise<void>;
}

/** So many milliseconds pass between two looks at an application that is about to end. */
const lookMillis = 200;

export function createEngineApplications(cluster: ClusterDriver, limits: ServiceLimits): EngineApplications {
  const metadata = createApplicationMetadata({ cluster, limits });
  const askManager = createResourceManagerCalls(cluster.resourceManager, limits.askMillis);

  const report = (appId: string, outer: AbortSignal) =>
    askManager(outer, (manager, options) => manager.getApplication(appId, options)).catch(undefinedIfUnknown);

  async function endsWithin(millis: number, appId: string, signal: AbortSignal): Promise<boolean> {
    const hasEnded = async () => ((await report(appId, signal))?.finalStatus ?? 'FAILED') !== 'UNDEFINED';
    for (const until = performance.now() + millis; performance.now() < until; ) {
      if (await hasEnded()) return true;
      await delay(lookMillis, undefined, { signal });
    }
    return hasEnded();
  }

  return {
    active: (outer) =>
      askManager(outer, (manager, options) => manager.listApplications({ ...options, activeOnly: true })),

    report,

    async lifeOf({ id, startedTime, allocatedMB, finalStatus, state, diagnostics }, signal) {
      if (finalStatus !== 'UNDEFINED') {
        metadata.forget(id);
        const why = diagnostics === '' ? '' : `: ${diagnostics.slice(0, 500)}`;
        return { id, state: 'ended', startedTime, reason: `The application ${id} ended (${state})${why}` };
      }
      if (state !== 'RUNNING') return { id, state: 'starting', startedTime };
      return {
        id,
        state: 'running',
        startedTime,
        memoryMB: Math.max(0, allocatedMB),
        metadata: await metadata.of(id, signal),
      };
    },

    async end(life, graceMillis, signal) {
      if (!life || life.state === 'ended') return;
      const { id } = life;
      if (graceMillis > 0) {
        await withTimeout(limits.askMillis, `The master of ${id}`, signal, async (limited) => {
          const master = await cluster.master(id, { signal: limited });
          await master.shutdown({ signal: limited });
        }).catch(() => {});
        if (await endsWithin(graceMillis, id, signal)) return;
      }
      await askManager(signal, (manager, options) => manager.kill(id, options)).catch(unlessOver);
      if (!(await endsWithin(limits.readyMillis, id, signal)))
        throw new ContainerFailed(`The application ${id} does not end`);
    },
  };
}

function unlessOver(error: unknown): void {
  if (!(error instanceof Conflict || error instanceof NotFound)) throw error;
}
