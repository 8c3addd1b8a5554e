import type { Clock } from '../../../interfaces/clock.js';
import { ContainerFailed } from '../../../model/errors.js';
import { revisionOf } from '../definition/revision.js';
import { ValueMissing } from '../definition/variables.js';
import type { Life, Resolve, ServiceKind, ServiceOrder } from '../kinds/kind.js';
import type { StoredService } from '../stored.js';
import type { Effect, Trigger } from './state-machine.js';

/** One service, as its work reads and changes it. */
export interface Subject {
  readonly stored: StoredService;
  /** This runs of it. */
  life: Life | undefined;
  /** Keeps what work found out besides. Rejects when the work was given up. */
  note(facts: Partial<StoredService>, work: AbortSignal): Promise<void>;
  /** Tells what came of the work; nothing when it was given up. */
  send(trigger: Trigger, facts: Partial<StoredService>, work?: AbortSignal): Promise<void>;
}

export interface EffectDeps {
  readonly kind: ServiceKind;
  readonly resolve: Resolve;
  /** Resolves when all that the service requires runs; rejects with a sentence. */
  readonly startRequired: (stored: StoredService, signal: AbortSignal) => Promise<void>;
  /** Resolves when no other service that its variables are about is on its way any more. */
  readonly othersTold: (stored: StoredService, signal: AbortSignal) => Promise<void>;
  /** Whether the values of all of these are told by other services. */
  readonly areOfOthers: (variables: readonly string[]) => boolean;
  readonly clock: Clock;
}

/** What nobody knows of a service that does not run. */
export const noLife = { lifeId: undefined, startedTime: undefined, failure: undefined };

/** The work that each effect of the state machine comes to. It rejects with what failed. */
export type Effects = Readonly<Record<Exclude<Effect, 'retryLater'>, (signal: AbortSignal) => Promise<void>>>;

export const orderOf = (name: string, stored: StoredService, resolve: Resolve): ServiceOrder => ({
  name,
  definition: stored.definition,
  revision: revisionOf(stored.definition),
  installedBy: stored.installedBy,
  installed: stored.installed,
  resolve,
});

/** `onProgress` is told how far the work is. */
export function createEffects(
  name: string,
  subject: Subject,
  onProgress: (sentence: string | undefined) => void,
  deps: EffectDeps,
): Effects {
  const { kind, clock } = deps;
  const order = () => orderOf(name, subject.stored, deps.resolve);

  const workOf = (signal: AbortSignal) => ({
    signal,
    onProgress: (sentence: string) => {
      if (!signal.aborted) onProgress(sentence);
    },
  });

  async function present(signal: AbortSignal): Promise<Life | undefined> {
    const seen = await kind.look(new Map([[name, subject.stored.lifeId]]), signal);
    signal.throwIfAborted();
    return seen.get(name);
  }

  async function fetchWhatIsMissing(signal: AbortSignal) {
    const installed = await kind.install(order(), workOf(signal));
    const installedTime = subject.stored.installedTime || clock.now();
    await subject.note({ installed, installedTime }, signal);
    onProgress(undefined);
  }

  /** What a start before left behind is ours if it is the one that we know; anything else is ended first. */
  async function adopt(signal: AbortSignal) {
    const seen = await present(signal);
    subject.life = undefined;
    if (!seen || seen.state === 'ended') return;
    const { lifeId, definition } = subject.stored;
    const isOurs =
      seen.id === lifeId && (seen.revision === undefined || seen.revision === revisionOf(definition));
    if (isOurs) subject.life = seen;
    else await kind.stop(order(), seen, signal);
  }

  return {
    async install(signal) {
      await fetchWhatIsMissing(signal).catch((error: unknown) => {
        // What others tell when they run is waited for by the start, which fetches too.
        if (!(error instanceof ValueMissing && deps.areOfOthers(error.variables))) throw error;
      });
      await subject.send('installed', {}, signal);
    },

    async start(signal) {
      await deps.startRequired(subject.stored, signal);
      await deps.othersTold(subject.stored, signal);
      await adopt(signal);
      if (!subject.life) {
        await fetchWhatIsMissing(signal);
        subject.life = await kind.start(order(), workOf(signal));
        signal.throwIfAborted();
      }
      const { id, startedTime, state, reason } = subject.life;
      await subject.note({ failure: undefined, lifeId: id, startedTime }, signal);
      if (state === 'ended') throw new ContainerFailed(reason ?? 'It ended at once');
      if (state === 'running') await subject.send('healthy', {}, signal);
    },

    async stop(signal) {
      await kind.stop(order(), await present(signal), signal);
      subject.life = undefined;
      await subject.send('stopped', noLife, signal);
    },

    async remove(signal) {
      await kind.remove(order(), await present(signal), signal);
      await subject.send('removed', {}, signal);
    },
  };
}
