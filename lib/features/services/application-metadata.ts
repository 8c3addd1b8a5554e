import { within } from '../../core/deadline.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { ServiceLimits } from './options.js';

type Metadata = Readonly<Record<string, string>>;

/** What running applications tell of themselves: the metrics of their operators, as far as they are values. */
export interface ApplicationMetadata {
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
    const metrics = await within(limits.askMillis, `The master of ${appId}`, outer, async (signal) => {
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
      last.delete(appId);
      last.set(appId, told);
      // Those that vanished without being seen to end: who was heard of longest ago goes.
      const [oldest] = last.keys();
      if (last.size > limits.services && oldest !== undefined) last.delete(oldest);
      return told;
    },
    forget: (appId) => {
      last.delete(appId);
    },
  };
}
