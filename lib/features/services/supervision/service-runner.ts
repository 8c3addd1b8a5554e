import { revisionOf } from '../definition/revision.js';
import type { Life, Resolve, ServiceKind, ServiceOrder } from '../kinds/kind.js';
import type { Installed, StoredService } from '../stored.js';
import type { ServiceStatus } from './service-status.js';

/** Runs one service as its kind does, and finds what runs of it already. */
export interface ServiceRunner {
  /** Quick when nothing is missing. Resolves what has to be remembered. */
  install(signal: AbortSignal): Promise<Installed | undefined>;
  start(signal: AbortSignal): Promise<Life>;
  /**
   * Takes up what an earlier start left behind, as its life, if it is the one that we know. Anything else under its name is
   * ended.
   */
  adopt(signal: AbortSignal): Promise<void>;
  /** Resolves when this has ended; without `life`, whatever runs of the service now. */
  stop(signal: AbortSignal, life?: Life): Promise<void>;
  /** Ends what runs and clears away what was fetched. */
  remove(signal: AbortSignal): Promise<void>;
}

export interface RunnerDeps {
  readonly kind: ServiceKind;
  readonly resolve: Resolve;
}

export function createServiceRunner(
  name: string,
  status: ServiceStatus,
  { kind, resolve }: RunnerDeps,
): ServiceRunner {
  const order = (): ServiceOrder => {
    const { definition, installedBy, installed } = status.stored;
    return { name, definition, revision: revisionOf(definition), installedBy, installed, resolve };
  };

  const workOf = (signal: AbortSignal) => ({
    signal,
    onProgress: (sentence: string) => {
      if (!signal.aborted) status.progress = sentence;
    },
  });

  async function present(signal: AbortSignal): Promise<Life | undefined> {
    const seen = await kind.look(new Map([[name, status.stored.lifeId]]), signal);
    signal.throwIfAborted();
    return seen.get(name);
  }

  return {
    install: (signal) => kind.install(order(), workOf(signal)),

    start: (signal) => kind.start(order(), workOf(signal)),

    async adopt(signal) {
      const seen = await present(signal);
      status.life = undefined;
      if (!seen || seen.state === 'ended') return;
      if (isOwn(seen, status.stored)) status.life = seen;
      else await kind.stop(order(), seen, signal);
    },

    async stop(signal, life) {
      await kind.stop(order(), life ?? (await present(signal)), signal);
    },

    async remove(signal) {
      await kind.remove(order(), await present(signal), signal);
    },
  };
}

const isOwn = ({ id, revision }: Life, { lifeId, definition }: StoredService): boolean =>
  id === lifeId && (revision === undefined || revision === revisionOf(definition));
