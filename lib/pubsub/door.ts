import { randomUUID } from 'node:crypto';
import {
  asGatewayError,
  errorBody,
  ForeignOrigin,
  type GatewayError,
  NotLoggedIn,
  NotReady,
  TooManyRequests,
} from '../core/errors.js';
import { foreignOrigin } from '../core/origin.js';
import type { Principal } from '../core/principal.js';
import type { CallerRequest, Identity } from '../interfaces/auth.js';
import type { Logger } from '../interfaces/logger.js';
import type { Peer } from './connection.js';
import type { Hub } from './hub.js';
import { defaultLimits, type HubLimits } from './limits.js';
import type { Caller } from './rights.js';
import type { HubConnection, HubSocket } from './socket.js';
import { createTrust, type TrustedPublisher } from './trust.js';

/** The upgrade request of a WebSocket, before the handshake. */
export interface UpgradeRequest extends CallerRequest {
  /** Path and query. */
  readonly url: string;
}

/** What a WebSocket adapter talks to. */
export interface PubSubDoor {
  /** Decides about an upgrade. Never rejects. */
  accept(request: UpgradeRequest): Promise<Admitted | Refused>;
  readonly limits: Pick<HubLimits, 'messageBytes' | 'fragments'>;
}

/** A place for one socket. `connect` must be called in the same turn of the event loop, when the handshake is done. */
export interface Admitted {
  connect(socket: HubSocket): HubConnection;
  /** Gives the place back: when the socket has closed, or the handshake failed. */
  leave(): void;
}

/** To be sent instead of the handshake. */
export interface Refused {
  readonly refused: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
}

export interface PubSubDoorOptions {
  readonly hub: Hub;
  readonly logger: Logger;
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  /** `undefined` for an account that is gone. Returning the same object while nothing changed saves work. */
  principalOf(identity: Identity): Promise<Principal | undefined>;
  /** What a client sends is use of its session, as a request is; what it only hears is not. */
  readonly onUse?: (sessionId: string) => void;
  /** Throws `NotReady` when the gateway has been closed. Default: it never is. */
  readonly requireOpen?: () => void;
  /** The application that this identity is the credential of. Default: none. */
  readonly applicationOf?: (identity: Identity) => string | undefined;
  /** Whole origins whose pages may connect, besides our own. Default: none. */
  readonly origins?: readonly string[];
  /** Default: none. */
  readonly trustedPublishers?: readonly TrustedPublisher[];
  readonly limits?: Partial<HubLimits>;
}

interface Known {
  readonly peer: Peer;
  /** Sockets are counted under this name, up to this number. */
  readonly account: string;
  readonly most: number;
}

/** Authenticates upgrades as HTTP requests are, and counts sockets. */
export function createPubSubDoor(options: PubSubDoorOptions): PubSubDoor {
  const { hub, logger, origins = [] } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const trust = createTrust(options.trustedPublishers ?? []);
  const sockets = createTally();

  async function know(request: UpgradeRequest, wantsErrors: boolean): Promise<Known> {
    const identity = await options.authenticate(request);
    const caller = identity && (await callerOf(identity));
    if (!identity || !caller) return trusted(request.remoteAddress, wantsErrors);
    const { application } = caller;
    return {
      peer: {
        caller,
        refresh: () => callerOf(identity),
        wantsErrors,
        ...(identity.sessionId === undefined ? {} : { sessionId: identity.sessionId }),
        ...(options.onUse ? { onUse: options.onUse } : {}),
      },
      account: application === undefined ? `user ${identity.userName}` : `application ${application}`,
      most: application === undefined ? limits.connectionsPerUser : limits.connectionsPerApplication,
    };
  }

  async function callerOf(identity: Identity): Promise<Caller | undefined> {
    const principal = await options.principalOf(identity);
    if (!principal) return undefined;
    const application = options.applicationOf?.(identity);
    return application === undefined ? { principal } : { principal, application };
  }

  function trusted(address: string, wantsErrors: boolean): Known {
    const trustedTopics = trust(address);
    if (!trustedTopics) throw new NotLoggedIn();
    const caller = { trustedTopics };
    return {
      peer: { caller, refresh: async () => caller, wantsErrors },
      account: `address ${address}`,
      most: limits.connectionsPerApplication,
    };
  }

  /** Until nothing changed while we asked: a session that ended meanwhile must not get a socket. */
  async function knowNow(request: UpgradeRequest, wantsErrors: boolean): Promise<Known> {
    for (let tries = 0; tries < 5; tries++) {
      const { epoch } = hub;
      const known = await know(request, wantsErrors);
      if (epoch === hub.epoch) return known;
    }
    throw new NotReady('Rights are changing all the time; try again');
  }

  async function admit(request: UpgradeRequest): Promise<Admitted> {
    options.requireOpen?.();
    const origin = foreignOrigin(request.headers, origins);
    if (origin !== undefined) throw new ForeignOrigin(origin);
    const wantsErrors = new URLSearchParams(request.url.split('?')[1]).get('errors') === 'true';
    sockets.enter(
      '',
      limits.connections,
      () => new NotReady('The gateway has no room for another WebSocket'),
    );
    try {
      const { peer, account, most } = await knowNow(request, wantsErrors);
      sockets.enter(
        account,
        most,
        () => new TooManyRequests(`${most} WebSockets are open for you already`, 10),
      );
      const leave = () => {
        sockets.leave('');
        sockets.leave(account);
      };
      return { connect: (socket) => hub.connect(socket, peer), leave };
    } catch (error) {
      sockets.leave('');
      throw error;
    }
  }

  return {
    limits,
    async accept(request) {
      try {
        return await admit(request);
      } catch (thrown) {
        const error = asGatewayError(thrown);
        const requestId = randomUUID();
        const fields = {
          requestId,
          status: error.status,
          code: error.code,
          remoteAddress: request.remoteAddress,
        };
        if (error.status >= 500) logger.error({ ...fields, err: error.cause ?? error }, 'WebSocket refused');
        else logger.info(fields, 'WebSocket refused');
        return { refused: refusal(error, requestId) };
      }
    },
  };
}

const refusal = (error: GatewayError, requestId: string): Refused['refused'] => ({
  status: error.status,
  headers: { ...error.headers, 'content-type': 'application/json' },
  body: JSON.stringify(errorBody(error, requestId)),
});

interface Tally {
  /** Throws what `full` makes when `most` are in. */
  enter(name: string, most: number, full: () => GatewayError): void;
  leave(name: string): void;
}

function createTally(): Tally {
  const counts = new Map<string, number>();
  return {
    enter(name, most, full) {
      const count = counts.get(name) ?? 0;
      if (count >= most) throw full();
      counts.set(name, count + 1);
    },
    leave(name) {
      const count = (counts.get(name) ?? 0) - 1;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}
