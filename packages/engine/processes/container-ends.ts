import { Conflict, NotFound } from 'headgate/driver-kit';
import type { Agent, ContainerEntry, Slot } from '../layout/physical-state.js';
import { containerId } from '../model/ids.js';

interface ContainerEndsDeps {
  readonly applicationId: string;
  /** Those with a process. */
  readonly occupied: ReadonlySet<Slot>;
  readonly entryOf: (id: string) => ContainerEntry | undefined;
  /** How long one may take to end by itself, milliseconds. */
  readonly stopMillis: number;
}

/** The ways in which the engine ends the containers of an application. */
export interface ContainerEnds {
  kill(slot: Slot, reason: NonNullable<Slot['killReason']>): void;
  /** Nothing runs there any more: its process ends by itself. */
  release(slot: Slot): void;
  /** Nothing will run there. Resolves when its process has ended. */
  discard(slot: Slot): Promise<void>;
  /** Throws `NotFound`, or `Conflict` for one that has ended and for the application master. */
  killOnRequest(id: string): void;
  /** `stop` gives them `stopMillis` to end by themselves. Resolves when all have ended. */
  endAll(how: 'stop' | 'kill'): Promise<void>;
}

export function createContainerEnds(deps: ContainerEndsDeps): ContainerEnds {
  function kill(slot: Slot, reason: NonNullable<Slot['killReason']>): void {
    slot.killReason ??= reason;
    slot.agent?.kill();
  }

  function stop(agent: Agent): void {
    agent.send({ type: 'stop' });
    const timer = setTimeout(() => agent.kill(), deps.stopMillis);
    agent.exited.then(() => clearTimeout(timer));
  }

  return {
    kill,
    release(slot) {
      slot.killReason ??= { code: 'REMOVED', message: 'Its operators left the plan', isFailure: false };
      if (slot.agent) stop(slot.agent);
    },
    async discard(slot) {
      const { agent } = slot;
      kill(slot, { code: 'NOT_NEEDED', message: 'The change of the plan was refused', isFailure: false });
      await agent?.exited;
    },
    killOnRequest(id) {
      const entry = deps.entryOf(id);
      if (id === containerId(deps.applicationId, 1))
        throw new Conflict(
          'MASTER_CONTAINER',
          `The container ${id} is the application master; kill the application instead`,
        );
      if (!entry) throw new NotFound('container', id);
      if (entry.finishedTime > 0)
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${id} has ended`);
      kill(entry.slot, { code: 'KILLED_BY_USER', message: 'Killed on request', isFailure: false });
    },
    async endAll(how) {
      const agents = [...deps.occupied].flatMap(({ agent }) => agent ?? []);
      for (const agent of agents) how === 'stop' ? stop(agent) : agent.kill();
      await Promise.all(agents.map(({ exited }) => exited));
    },
  };
}
