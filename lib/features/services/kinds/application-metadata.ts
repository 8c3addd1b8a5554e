import type { ClusterDriver } from '../../../interfaces/cluster.js';
import { setNewest } from '../../../runtime/lru.js';
import { withTimeout } from '../../../runtime/with-timeout.js';
import type { ServiceLimits } from '../options.js';

type Metadata = Readonly<Record<string, string>>;

/** What running applications tell of themselves: the metrics of their operators, as far as they are values. */
interface ApplicationMetadata {
  /** What it told last where its master does not answer now; nothing when it has never told. Never rejects. */
  of(appId: string, signal: AbortSignal | undefined): Promise<Metadata>;
  forget(appId: string): void;
}

export function createApplicationMetadata(deps: {
  readonly cluster: ClusterDriver;
  readonly limits: ServiceLimits;
}): ApplicationMetadata {
  const { cluster, limits } = deps;
  const last = new Map<string, Metadata>();

  async function read(appId: string, outer: AbortSignal | undefined): Promise<Metadata> {
    const metrics = await withTimeout(limits.askMillis, `The master of ${appId}`, outer, async (signal) => {
      const master = await cluster.master(appId, { signal });
      return (await master.info({ signal })).metrics;
    });
    const values = new Map<string, string>();
    for (const ofOperator of Object.values(metrics)) {
      for (const [name, value] of Object.entries(ofOperator))
        if ((typeof value === 'string' || typeof value === 'number') && !values.has(name))
          values.set(name, String(value));
    }
    return Object.fromEntries(values);
  }

  return {
    async of(appId, signal) {
      const told = await read(appId, signal).catch(() => undefined);
      if (!told) return last.get(appId) ?? {};
      // Some vanish without being seen to end: who was heard of longest ago goes.
      setNewest(last, appId, told, limits.services);
      return told;
    },
    forget: (appId) => {
      last.delete(appId);
    },
  };
}
