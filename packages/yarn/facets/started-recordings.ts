import type { Clock, Recording } from 'headgate/driver-kit';

/**
 * Recordings that the master was told to start, until its plan shows them: that takes a heartbeat or two, and as long
 * they would seem not to be there.
 */
export interface StartedRecordings {
  add(operatorId: string, portName: string | undefined, id: string): void;
  remove(id: string): void;
  /** Those that are not among the ids. */
  besides(
    ids: readonly string[],
  ): { readonly operatorId: string; readonly portName?: string; readonly id: string }[];
  /** One that was started and of which there are no files yet. */
  pending(applicationId: string, operatorId: string, id: string): Recording | undefined;
}

/** Milliseconds; one that has not come to be by then never does. */
const timeoutMillis = 10_000;

export function createStartedRecordings(clock: Clock): StartedRecordings {
  const started = new Map<
    string,
    { readonly operatorId: string; readonly portName?: string; readonly until: number }
  >();
  /** The master has told of it: what it says from then on holds. */
  const forgetOld = (ids: readonly string[]) => {
    for (const [id, { until }] of started)
      if (ids.includes(id) || clock.monotonic() > until) started.delete(id);
  };
  return {
    add(operatorId, portName, id) {
      const until = clock.monotonic() + timeoutMillis;
      const place = portName === undefined ? { operatorId } : { operatorId, portName };
      started.set(id, { ...place, until });
    },
    remove: (id) => {
      started.delete(id);
    },
    besides(ids) {
      forgetOld(ids);
      return [...started].map(([id, { until: _, ...place }]) => ({ id, ...place }));
    },
    pending(appId, operatorId, id) {
      const found = started.get(id);
      if (found?.operatorId !== operatorId) return undefined;
      return emptyRecording(appId, operatorId, id);
    },
  };
}

/** One of which nothing is written yet. */
export const emptyRecording = (appId: string, operatorId: string, id: string): Recording => ({
  id,
  operatorId,
  appId,
  // It names the topic of the tuples: only the engine's own will do.
  startTime: 0,
  containerId: '',
  totalTuples: 0,
  ports: [],
  ended: false,
  windowIdRanges: [],
  properties: {},
});
