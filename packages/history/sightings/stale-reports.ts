import { type CallOptions, type Clock, GatewayError } from 'headgate/driver-kit';
import { createBackOff } from './back-off.js';
import type { Sighting } from './sighting.js';

/** Milliseconds that a cluster which did not answer about one application is not asked about others. */
const clusterPause = 4000;

/** What was seen of an application lately is good enough for many; while it can't be asked, also what is older. */
export function recentOrStale<S extends Sighting>(deps: {
  readonly get: (appId: string, options?: CallOptions) => Promise<S>;
  readonly last: (appId: string) => S | undefined;
  readonly clock: Clock;
  /** What is older than so many milliseconds is of no use. */
  readonly usableMillis: number;
}): (appId: string, maxAgeMillis: number, options?: CallOptions) => Promise<S> {
  const { get, clock } = deps;
  const backOff = createBackOff(clock, clusterPause);
  return async (appId, maxAgeMillis, options) => {
    const last = deps.last(appId);
    const isUsable = last && clock.now() - last.report.observedAt <= deps.usableMillis;
    if (last && clock.now() - last.report.observedAt <= maxAgeMillis) return last;
    if (isUsable && backOff.holding !== undefined) return last;
    try {
      const found = await get(appId, options);
      backOff.worked();
      return found;
    } catch (error) {
      if (!isUsable || !(error instanceof GatewayError) || error.status < 500) throw error;
      backOff.failed(error);
      return last;
    }
  };
}
