import { GatewayError } from 'headgate/driver-kit';
import { untilAborted } from './ldap-connection.js';
import { createIdleConnections, type Kept, type Poolable } from './ldap-idle.js';
import { createConnectionQueue } from './ldap-queue.js';

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

export function createPool<Connection extends Poolable>(deps: {
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  readonly limits: PoolLimits;
  /** A dead connection says so soon: what fails later is not tried again, so that another server can be asked. */
  readonly againMillis: number;
  readonly monotonic: () => number;
}): Pool<Connection> {
  const { open, limits, againMillis, monotonic } = deps;
  const queue = createConnectionQueue(limits);
  const idle = createIdleConnections<Connection>(limits, monotonic);
  let answers = 0;

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
    idle.keep(kept);
    return result;
  }

  return {
    async use(signal, work) {
      await queue.enter(signal);
      const answersBefore = answers;
      try {
        const kept = idle.take();
        const lentAt = monotonic();
        if (kept) {
          try {
            return await run(kept, signal, work);
          } catch (error) {
            // The others are as old.
            void idle.clear();
            if (signal.aborted || monotonic() - lentAt > againMillis) throw error;
          }
        }
        return await run({ connection: await open(signal), madeAt: monotonic() }, signal, work);
      } catch (error) {
        // They wait for a server that can't be asked, and may ask another one. It can when others got answers meanwhile.
        const isUnreachable = !(error instanceof GatewayError) && answers === answersBefore;
        if (!signal.aborted && isUnreachable) queue.failWaiting(error);
        throw error;
      } finally {
        queue.leave();
      }
    },

    async close() {
      queue.close();
      await idle.close();
    },
  };
}
