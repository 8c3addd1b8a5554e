import type { Logger } from '../../interfaces/logger.js';
import type { Keeper } from './keeper.js';
import type { ServiceKind } from './kind.js';

/** Looks at what runs, again and again: one look for all services of a type. */
export interface Watch {
  /** A look that begins now. Never rejects. */
  look(): Promise<void>;
  start(): void;
  /** Idempotent. Resolves when the look under way is over. */
  close(): Promise<void>;
}

export function createWatch(deps: {
  keepers: () => readonly Keeper[];
  kinds: readonly (readonly [type: string, kind: ServiceKind])[];
  /** After each look. */
  alsoEachTime: () => Promise<void>;
  everyMillis: number;
  logger: Logger;
}): Watch {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  const unreachable = new Set<string>();

  async function lookAt(type: string, kind: ServiceKind) {
    const keepers = deps.keepers().filter(({ stored }) => stored.definition.type === type);
    const stamps = new Map(keepers.map((keeper) => [keeper, keeper.stamp]));
    if (!keepers.some(({ stored: { state } }) => state === 'RUNNING' || state === 'STARTING')) return;
    const lifeIds = new Map(keepers.map(({ name, stored }) => [name, stored.lifeId]));
    const seen = await kind.look(lifeIds).catch((err) => {
      if (!unreachable.has(type)) deps.logger.warn({ type, err }, 'services can not be looked at');
      unreachable.add(type);
      return undefined;
    });
    if (seen && unreachable.delete(type)) deps.logger.info({ type }, 'services can be looked at again');
    for (const [keeper, stamp] of stamps) keeper.observe(seen ? seen.get(keeper.name) : 'unknown', stamp);
  }

  async function look() {
    await Promise.all(deps.kinds.map(([type, kind]) => lookAt(type, kind)));
  }

  function next() {
    if (isClosed) return;
    timer = setTimeout(() => {
      looking = look()
        .then(deps.alsoEachTime)
        .catch((err) => deps.logger.error({ err }, 'services can not be looked after'))
        .then(next);
    }, deps.everyMillis);
  }

  return {
    look,
    start: next,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
