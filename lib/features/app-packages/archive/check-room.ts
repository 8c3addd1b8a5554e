import { BadRequest, TooManyRequests } from '../../../model/errors.js';

/** The memory that one check takes for what it has to remember until it has read the directory. */
export interface CheckRoom {
  /** Bytes that it may take. */
  readonly granted: number;
  /**
   * Resolves when it may take `needed` bytes, which may last until others have ended. Rejects with `BadRequest` when no
   * archive may need so much, with `TooManyRequests` when it lasts too long.
   */
  grow(needed: number): Promise<void>;
  /** Gives back what it has, whether it has ended or waits. */
  close(): void;
}

/** Up to so many bytes may be taken by that many checks at once. */
interface RoomLevel {
  readonly bytes: number;
  readonly places: number;
}

interface CheckRooms {
  /** `onLast`: it may take more than all others from now on. */
  open(onLast?: () => void): CheckRoom;
}

const mebi = 1024 ** 2;

const largestBytes = 256 * 1024 ** 2;

/**
 * Nearly all packages have a few hundred entries, and never wait. Those with many thousands take turns: the last level
 * is enough for the longest names that the limits for archives allow, and there is one such archive at a time.
 */
const defaultRoomLevels: readonly RoomLevel[] = [
  { bytes: mebi / 2, places: Number.POSITIVE_INFINITY },
  { bytes: 8 * mebi, places: 8 },
  { bytes: largestBytes, places: 1 },
];

/** For who waits to be checked: by then those before have been slow, and a client may have given up. */
const defaultWaitMillis = 120_000;

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: (error: unknown) => void;
}

export function checkRooms(
  levels: readonly RoomLevel[] = defaultRoomLevels,
  waitMillis: number = defaultWaitMillis,
): CheckRooms {
  const taken = levels.map(() => 0);
  const lines = levels.map((): Waiting[] => []);

  function leave(level: number): void {
    // The place is handed on, so nobody can slip in between.
    const next = lines[level]?.shift();
    if (next) next.begin();
    else taken[level] = (taken[level] ?? 0) - 1;
  }

  return {
    open(onLast = () => {}) {
      let level = 0;
      let isClosed = false;
      let waiting: Waiting | undefined;
      taken[0] = (taken[0] ?? 0) + 1;

      /** Those that go up wait only for those that are higher, so they never wait for each other in a circle. */
      async function enter(next: number): Promise<void> {
        const line = lines[next] ?? [];
        const { places = 0 } = levels[next] ?? {};
        if ((taken[next] ?? 0) < places) taken[next] = (taken[next] ?? 0) + 1;
        else await stand(line);
        if (isClosed) {
          leave(next);
          throw givenUp();
        }
        leave(level);
        level = next;
        if (level === levels.length - 1) onLast();
      }

      async function stand(line: Waiting[]): Promise<void> {
        let timer: NodeJS.Timeout | undefined;
        try {
          await new Promise<void>((begin, giveUp) => {
            const own = { begin, giveUp };
            waiting = own;
            line.push(own);
            timer = setTimeout(() => {
              giveUp(
                new TooManyRequests(
                  'Other packages with as many entries are being checked already; send it again later',
                  30,
                ),
              );
            }, waitMillis);
          });
        } finally {
          clearTimeout(timer);
          const at = waiting ? line.indexOf(waiting) : -1;
          if (at >= 0) line.splice(at, 1);
          waiting = undefined;
        }
      }

      return {
        get granted() {
          return levels[level]?.bytes ?? 0;
        },
        async grow(needed) {
          const next = levels.findIndex(({ bytes }) => bytes >= needed);
          if (next < 0)
            throw new BadRequest(
              'ARCHIVE_LIMIT',
              'The names in the archive are too many and too long together: they take more memory than the check of a package may take',
            );
          while (level < next) await enter(level + 1);
        },
        close() {
          if (isClosed) return;
          isClosed = true;
          waiting?.giveUp(givenUp());
          leave(level);
        },
      };
    },
  };
}

const givenUp = () => new Error('The check was given up');

/** For an archive that is so small that what is remembered of it is small as well. */
export const unlimitedRoom: CheckRoom = {
  granted: Number.POSITIVE_INFINITY,
  grow: async () => {},
  close() {},
};
