import { type Clock, GatewayError, type Logger, Unreachable } from 'headgate/driver-kit';
import {
  type ConnectionLimits,
  type DirectoryConnection,
  type DirectorySearch,
  type Ldapts,
  openConnection,
  orClosed,
  untilAborted,
} from './ldap-connection.js';
import type { DirectoryServer } from './ldap-plan.js';
import { createPool, type PoolLimits } from './ldap-pool.js';

/** Several servers with the same entries: the next one is asked when one can't be. */
interface Servers {
  /**
   * Does the work with the first server that can be asked, from its start on each one. Rejects with `Unreachable` when
   * none can, and with what the work rejects with when it is a decision (a `GatewayError`).
   */
  ask<Result>(signal: AbortSignal, work: (directory: Directory) => Promise<Result>): Promise<Result>;
  /** Connections that are kept end. */
  close(): Promise<void>;
}

/** One server, as a login asks it. */
export interface Directory {
  /** Searches as whoever the configuration names for it. Only that is ever bound on these connections, which are shared. */
  searching<Result>(work: (search: DirectorySearch) => Promise<Result>): Promise<Result>;
  /** With a connection of this login alone, where people are bound; it ends with the work. */
  alone<Result>(work: (connection: DirectoryConnection) => Promise<Result>): Promise<Result>;
}

export function createServers(options: {
  ldapts: Ldapts;
  servers: readonly DirectoryServer[];
  ca: string | undefined;
  limits: ConnectionLimits;
  pool: PoolLimits;
  /** Binds who searches. */
  introduce: (connection: DirectoryConnection) => Promise<void>;
  /** Milliseconds for which a server that failed is asked last. */
  avoidMillis: number;
  clock: Clock;
  logger: Logger;
}): Servers {
  const { ldapts, ca, limits, introduce, avoidMillis, clock, logger } = options;
  const failedAt = new Map<DirectoryServer, number>();
  const isAvoided = (server: DirectoryServer): boolean => {
    const at = failedAt.get(server);
    return at !== undefined && clock.monotonic() < at + avoidMillis;
  };
  const pools = new Map(
    options.servers.map((server) => [
      server,
      createPool({
        async open(signal) {
          const connection = await openConnection(ldapts, { server, ca, limits }, signal);
          await orClosed(connection, untilAborted(introduce(connection), signal));
          return connection;
        },
        limits: options.pool,
        againMillis: limits.answerMillis / 2,
        monotonic: clock.monotonic,
      }),
    ]),
  );

  return {
    async ask(signal, work) {
      const all = [...pools].map(([server, pool]) => ({ server, pool, isLast: isAvoided(server) }));
      const inOrder = [...all.filter(({ isLast }) => !isLast), ...all.filter(({ isLast }) => isLast)];
      const causes: unknown[] = [];
      for (const { server, pool } of inOrder) {
        try {
          const result = await work({
            searching: (search) => pool.use(signal, search),
            async alone(asked) {
              const connection = await openConnection(ldapts, { server, ca, limits }, signal);
              try {
                return await untilAborted(asked(connection), signal);
              } finally {
                await connection.close();
              }
            },
          });
          failedAt.delete(server);
          return result;
        } catch (error) {
          if (error instanceof GatewayError) throw error;
          causes.push(error);
          // The gateway's patience is at its end, which says little about this server.
          if (signal.aborted) break;
          failedAt.set(server, clock.monotonic());
          logger.warn(
            { event: 'ldap.server_failed', server: server.url, err: error },
            'a directory server could not be asked',
          );
        }
      }
      throw new Unreachable('The directory', causes.length === 1 ? causes[0] : new AggregateError(causes));
    },

    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
