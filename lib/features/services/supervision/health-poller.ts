import type { Logger } from '../../../interfaces/logger.js';
import type { ServiceKind } from '../kinds/kind.js';
import type { Supervisor } from './supervisor.js';

/** Looks at what runs, again and again: one look for all services of a type. Types do not wait for each other. */
interface HealthPoller {
  /** A look that begins now, at all types. Never rejects. */
  look(): Promise<void>;
  start(): void;
  /** Idempotent. What is under way is given up, and changes nothing any more. */
  close(): void;
}

export function createHealthPoller(deps: {
  supervisors: () => readonly Supervisor[];
  kinds: readonly (readonly [type: string, kind: ServiceKind])[];
  /** Beside the looks, and as often. */
  sweep: (signal: AbortSignal) => Promise<void>;
  everyMillis: number;
  logger: Logger;
}): HealthPoller {
  const closing = new AbortController();
  const { signal } = closing;
  const unreachable = new Set<string>();

  async function lookAt(type: string, kind: ServiceKind) {
    const supervisors = deps.supervisors().filter(({ stored }) => stored.definition.type === type);
    const stamps = new Map(supervisors.map((supervisor) => [supervisor, supervisor.stamp]));
    if (!supervisors.some(({ stored: { state } }) => state === 'RUNNING' || state === 'STARTING')) return;
    const lifeIds = new Map(supervisors.map(({ name, stored }) => [name, stored.lifeId]));
    const seen = await kind.look(lifeIds, signal).catch((err) => {
      if (signal.aborted) return undefined;
      if (!unreachable.has(type))
        deps.logger.warn({ event: 'service.status_unavailable', type, err }, 'services can not be looked at');
      unreachable.add(type);
      return undefined;
    });
    if (signal.aborted) return;
    if (seen && unreachable.delete(type))
      deps.logger.info({ event: 'service.status_available', type }, 'services can be looked at again');
    for (const [supervisor, stamp] of stamps)
      supervisor.observe(seen ? seen.get(supervisor.name) : 'unknown', stamp);
  }

  function again(work: () => Promise<void>) {
    if (signal.aborted) return;
    const timer = setTimeout(async () => {
      signal.removeEventListener('abort', stop);
      await work().catch((err) => {
        if (!signal.aborted)
          deps.logger.error({ event: 'service.supervision_failed', err }, 'services can not be looked after');
      });
      again(work);
    }, deps.everyMillis);
    const stop = () => clearTimeout(timer);
    signal.addEventListener('abort', stop, { once: true });
  }

  return {
    async look() {
      await Promise.all(deps.kinds.map(([type, kind]) => lookAt(type, kind)));
    },
    start() {
      for (const [type, kind] of deps.kinds) again(() => lookAt(type, kind));
      again(() => deps.sweep(signal));
    },
    close: () => closing.abort(),
  };
}
