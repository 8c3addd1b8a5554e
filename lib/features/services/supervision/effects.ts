import type { Clock } from '../../../interfaces/clock.js';
import { ContainerFailed } from '../../../model/errors.js';
import { ValueMissing } from '../definition/variables.js';
import type { StoredService } from '../stored.js';
import type { ServiceRunner } from './service-runner.js';
import type { ServiceStatus } from './service-status.js';
import type { Effect, Trigger } from './state-machine.js';

/** Where work on a service says what it came to; work that was given up says nothing. */
export interface Outcomes {
  /** Keeps what work found out besides. Rejects when the work was given up. */
  note(facts: Partial<StoredService>, work: AbortSignal): Promise<void>;
  /** Resolves when the new state is kept; what it begins goes on. Rejects with `Conflict`. `work`: what tells it. */
  send(trigger: Trigger, facts?: Partial<StoredService>, work?: AbortSignal): Promise<void>;
}

/** What a service waits for before it starts: others that it requires, and others whose values it uses. */
export interface Prerequisites {
  /** Starts what it requires, one after the other: what is needed comes first. Rejects with a sentence. */
  startRequired(stored: StoredService, signal: AbortSignal): Promise<void>;
  /**
   * What needs no other service may still use a value of it, such as its port: nobody is started for that, but who comes up
   * at the same time is waited for. Not those that wait for this one themselves: then neither would come up.
   */
  awaitOthers(name: string, stored: StoredService, signal: AbortSignal): Promise<void>;
  /** Whether the values of all of these come from other services. */
  areOfOthers(name: string, variables: readonly string[]): boolean;
}

export interface EffectDeps {
  readonly prerequisites: Prerequisites;
  readonly clock: Clock;
}

/** What nobody knows of a service that does not run. */
export const noLife = { lifeId: undefined, startedTime: undefined, failure: undefined };

/** The work that each effect of the state machine comes to. It rejects with what failed. */
export type Effects = Readonly<Record<Exclude<Effect, 'retryLater'>, (signal: AbortSignal) => Promise<void>>>;

export function createEffects(
  name: string,
  status: ServiceStatus,
  runner: ServiceRunner,
  outcomes: Outcomes,
  { prerequisites, clock }: EffectDeps,
): Effects {
  async function fetchWhatIsMissing(signal: AbortSignal) {
    const installed = await runner.install(signal);
    const installedTime = status.stored.installedTime || clock.now();
    await outcomes.note({ installed, installedTime }, signal);
    status.progress = undefined;
  }

  return {
    async install(signal) {
      await fetchWhatIsMissing(signal).catch((error: unknown) => {
        // What others tell when they run is waited for by the start, which fetches too.
        if (!(error instanceof ValueMissing && prerequisites.areOfOthers(name, error.variables))) throw error;
      });
      await outcomes.send('installed', {}, signal);
    },

    async start(signal) {
      await prerequisites.startRequired(status.stored, signal);
      await prerequisites.awaitOthers(name, status.stored, signal);
      await runner.adopt(signal);
      if (!status.life) {
        await fetchWhatIsMissing(signal);
        status.life = await runner.start(signal);
        signal.throwIfAborted();
      }
      const { id, startedTime, state, reason } = status.life;
      await outcomes.note({ failure: undefined, lifeId: id, startedTime }, signal);
      if (state === 'ended') throw new ContainerFailed(reason ?? 'It ended at once');
      if (state === 'running') await outcomes.send('healthy', {}, signal);
    },

    async stop(signal) {
      await runner.stop(signal);
      status.life = undefined;
      await outcomes.send('stopped', noLife, signal);
    },

    async remove(signal) {
      await runner.remove(signal);
      await outcomes.send('removed', {}, signal);
    },
  };
}
