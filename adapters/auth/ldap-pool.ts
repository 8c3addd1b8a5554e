import { GatewayError, Unreachable } from '../../lib/driver-kit.js';
import { untilAborted } from './ldap-connection.js';

export interface PoolLimits {
  /** Connections, those that are lent and those that are kept. */
  readonly max: number;
  /** How many may wait for one; more are refused at once. */
  readonly waiting: number;
  /** Milliseconds for which a connection that nobody uses is kept. */
  readonly idleMillis: number;
  /** Milliseconds from its making after which a connection is not lent again. */
  readonly ageMillis: number;
}

interface Poolable {
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/** Connections that are the same for everybody, each lent to one at a time. */
interface Pool<Connection> {
  /**
   * Does the work with a kept connection, or with a new one when none is kept. The work may be done twice: when it fails
   * with a kept one, which may have died long ago, it is done once more with a new one.
   *
   * Rejects with what the work or the making of a connection rejects with, with the reason of the signal, and with
   * `Unreachable` when too many wait.
   */
  use<Result>(signal: AbortSignal, work: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** Closes what is kept now, and what is lent when it comes back. */
  close(): Promise<void>;
}

interface Kept<Connection> {
  readonly connection: Connection;
  readonly madeAt: number;
  timer?: NodeJS.Timeout;
}

interface Waiting {
  enter(): void;
  fail(error: unknown): void;
}

export function createPool<Connection extends Poolable>(deps: {
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  readonly limits: PoolLimits;
  /** A dead connection says so soon: what fails later is not tried again, so that another server can be asked. */
  readonly againMillis: number;
  readonly monotonic: () => number;
}): Pool<Connection> {
  const { open, limits, againMillis, monotonic } = deps;
  /** The one that was used last comes last, and is lent first: so those that are not needed grow old. */
  const idle: Kept<Connection>[] = [];
  const waiting = new Set<Waiting>();
  let lent = 0;
  let answers = 0;
  let isClosed = false;

  function enter(signal: AbortSignal): Promise<void> | void {
    signal.throwIfAborted();
    if (isClosed) throw closedPool();
    if (lent < limits.max) {
      lent++;
      return;
    }
    if (waiting.size >= limits.waiting) {
      throw new Unreachable(
        'The directory',
        new Error(`${waiting.size} logins wait for a connection already`),
      );
    }
    return new Promise((resolve, reject) => {
      const stop = () => one.fail(signal.reason);
      const leaveLine = () => {
        waiting.delete(one);
        signal.removeEventListener('abort', stop);
      };
      const one: Waiting = {
        enter() {
          leaveLine();
          resolve();
        },
        fail(error) {
          leaveLine();
          reject(error);
        },
      };
      waiting.add(one);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  function leave(): void {
    const [next] = waiting;
    // The place is handed on, so nobody can slip in between.
    if (next) next.enter();
    else lent--;
  }

  function failWaiting(error: unknown): void {
    for (const one of [...waiting]) one.fail(error);
  }

  const isGood = ({ connection, madeAt }: Kept<Connection>): boolean =>
    connection.isAlive && monotonic() - madeAt < limits.ageMillis;

  function takeIdle(): Kept<Connection> | undefined {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      clearTimeout(kept.timer);
      if (isGood(kept)) return kept;
      void kept.connection.close();
    }
    return undefined;
  }

  function keep(kept: Kept<Connection>): void {
    if (isClosed || limits.idleMillis === 0 || !isGood(kept)) {
      void kept.connection.close();
      return;
    }
    kept.timer = setTimeout(() => {
      idle.splice(idle.indexOf(kept), 1);
      void kept.connection.close();
    }, limits.idleMillis).unref();
    idle.push(kept);
  }

  async function closeIdle(): Promise<void> {
    const all = idle.splice(0);
    for (const { timer } of all) clearTimeout(timer);
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  async function run<Result>(
    kept: Kept<Connection>,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    let result: Result;
    try {
      result = await untilAborted(work(kept.connection), signal);
    } catch (error) {
      // An answer may still be under way on it.
      void kept.connection.close();
      throw error;
    }
    answers++;
    keep(kept);
    return result;
  }

  return {
    async use(signal, work) {
      await enter(signal);
      const answersBefore = answers;
      try {
        const kept = takeIdle();
        const lentAt = monotonic();
        if (kept) {
          try {
            return await run(kept, signal, work);
          } catch (error) {
            // The others are as old.
            void closeIdle();
            if (signal.aborted || monotonic() - lentAt > againMillis) throw error;
          }
        }
        return await run({ connection: await open(signal), madeAt: monotonic() }, signal, work);
      } catch (error) {
        // They wait for a server that can't be asked, and may ask another one. It can when others got answers meanwhile.
        const isUnreachable = !(error instanceof GatewayError) && answers === answersBefore;
        if (!signal.aborted && isUnreachable) failWaiting(error);
        throw error;
      } finally {
        leave();
      }
    },

    async close() {
      isClosed = true;
      failWaiting(closedPool());
      await closeIdle();
    },
  };
}

const closedPool = () =>
  new Unreachable('The directory', new Error('The connections to it have been closed'));
