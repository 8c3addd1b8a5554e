import { Conflict } from 'headgate/driver-kit';
import type { Applications } from '../applications/applications.js';
import type { LocalClusterSettings } from '../settings/options.js';

/** What containers take up. */
interface Room {
  readonly containers: number;
  readonly memoryMB: number;
}

/** Whether one more application may run beside those that do. */
export interface Capacity {
  /**
   * Nobody else gets this name and this room until the returned function is called. Throws `Conflict` when the user runs
   * or is just launching an application of this name, and when there is no such room.
   */
  claim(user: string, name: string, room: Room): () => void;
  /** Throws `Conflict` when there is no such room beside what runs and what is being launched. */
  checkRoom(needed: Room): void;
}

export function createCapacity({
  settings,
  applications,
}: {
  settings: Pick<LocalClusterSettings, 'limits'>;
  applications: Pick<Applications, 'running'>;
}): Capacity {
  /** What is being launched. */
  const claims = new Set<Room & { readonly user: string; readonly name: string }>();

  function checkName(user: string, name: string): void {
    if ([...claims].some((claim) => claim.user === user && claim.name === name))
      throw new Conflict(
        'APPLICATION_NAME_TAKEN',
        `${user} is just launching an application named ${JSON.stringify(name)}`,
      );
    for (const { record, isOver } of applications.running.map(({ state }) => state))
      if (record.user === user && record.name === name && !isOver)
        throw new Conflict(
          'APPLICATION_NAME_TAKEN',
          `${user} already runs an application named ${JSON.stringify(name)}: ${record.id}`,
        );
  }

  function checkRoom(needed: Room): void {
    const taken: readonly Room[] = [
      ...applications.running.flatMap(({ places }) =>
        places.map(({ memoryMB }) => ({ containers: 1, memoryMB })),
      ),
      ...claims,
    ];
    const { containers, memoryMB } = settings.limits;
    const inUse = taken.reduce((sum, room) => sum + room.containers, 0);
    if (inUse + needed.containers > containers)
      throw new Conflict(
        'NO_CAPACITY',
        `The application needs ${needed.containers} containers; ${inUse} of at most ${containers} (limits.containers) are in use`,
      );
    const used = taken.reduce((sum, room) => sum + room.memoryMB, 0);
    if (used + needed.memoryMB > memoryMB)
      throw new Conflict(
        'NO_CAPACITY',
        `The application needs more memory than is left of ${memoryMB} MB (limits.memoryMB)`,
      );
  }

  return {
    checkRoom,
    claim(user, name, room) {
      checkName(user, name);
      checkRoom(room);
      const claim = { user, name, ...room };
      claims.add(claim);
      return () => void claims.delete(claim);
    },
  };
}
