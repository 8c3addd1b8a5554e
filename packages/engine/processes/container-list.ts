import { rm } from 'node:fs/promises';
import type { Agent, ContainerEntry, Slot } from '../layout/physical-state.js';

interface ContainerListDeps {
  readonly logDirectoryOf: (containerId: string) => string;
  /** Those that have ended are forgotten beyond this many. */
  readonly maxContainers: number;
  readonly now: () => number;
}

/** The containers that an application has, and the newest of those that it had. */
interface ContainerList {
  /** In the order of their start. */
  readonly entries: readonly ContainerEntry[];
  started(slot: Slot, agent: Agent): void;
  beat(agent: Agent): void;
  ended(agent: Agent): void;
  get(id: string): ContainerEntry | undefined;
}

export function createContainerList({
  logDirectoryOf,
  maxContainers,
  now,
}: ContainerListDeps): ContainerList {
  const entries: ContainerEntry[] = [];
  const get = (id: string) => entries.find((entry) => entry.id === id);

  function forgetOldest(): void {
    if (entries.length <= maxContainers) return;
    const oldest = entries.findIndex(({ finishedTime }) => finishedTime > 0);
    if (oldest < 0) return;
    // Nobody can ask for its logs any more. What can't be deleted goes with the application.
    const forgotten = entries.splice(oldest, 1);
    for (const { id } of forgotten) rm(logDirectoryOf(id), { recursive: true, force: true }).catch(() => {});
  }

  return {
    entries,
    started(slot, agent) {
      entries.push({
        id: agent.containerId,
        pid: agent.pid,
        memoryMB: slot.memoryMB,
        slot,
        agent,
        startedTime: now(),
        finishedTime: -1,
        lastHeartbeat: -1,
        active: false,
      });
      forgetOldest();
    },
    beat({ containerId }) {
      const entry = get(containerId);
      if (entry) entry.lastHeartbeat = now();
    },
    ended({ containerId }) {
      const entry = get(containerId);
      if (!entry) return;
      entry.finishedTime = now();
      entry.active = false;
    },
    get,
  };
}
