import type { Clock, Logger } from '../../lib/index.js';
import { GatewayError, Unreachable } from '../../lib/index.js';
import {
  type ConnectionLimits,
  type DirectoryConnection,
  type Ldapts,
  withConnection,
} from './ldap-connection.js';
import type { DirectoryServer } from './ldap-plan.js';

/** Several servers with the same entries: the next one is asked when one can't be. */
export interface Servers {
  /**
   * Does the work with the first server that can be asked, from its start on each one. Rejects with `Unreachable` when
   * none can, and with what the work rejects with when it is a decision (a `GatewayError`).
   */
  ask<Result>(
    signal: AbortSignal,
    work: (connection: DirectoryConnection) => Promise<Result>,
  ): Promise<Result>;
}

export function createServers(options: {
  ldapts: Ldapts;
  servers: readonly DirectoryServer[];
  ca: string | undefined;
  limits: ConnectionLimits;
  /** Milliseconds for which a server that failed is asked last. */
  avoidMillis: number;
  clock: Clock;
  logger: Logger;
}): Servers {
  const { ldapts, servers, ca, limits, avoidMillis, clock, logger } = options;
  const failedAt = new Map<DirectoryServer, number>();
  const isAvoided = (server: DirectoryServer): boolean => {
    const at = failedAt.get(server);
    return at !== undefined && clock.monotonic() < at + avoidMillis;
  };

  return {
    async ask(signal, work) {
      const inOrder = [...servers.filter((one) => !isAvoided(one)), ...servers.filter(isAvoided)];
      const causes: unknown[] = [];
      for (const server of inOrder) {
        try {
          const result = await withConnection(ldapts, { server, ca, limits, signal }, work);
          failedAt.delete(server);
          return result;
        } catch (error) {
          if (error instanceof GatewayError) throw error;
          causes.push(error);
          // The gateway's patience is at its end, which says little about this server.
          if (signal.aborted) break;
          failedAt.set(server, clock.monotonic());
          logger.warn({ server: server.url, err: error }, 'a directory server could not be asked');
        }
      }
      throw new Unreachable('The directory', causes.length === 1 ? causes[0] : new AggregateError(causes));
    },
  };
}
