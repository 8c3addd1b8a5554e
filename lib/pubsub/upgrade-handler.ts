import { randomUUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { refuseTokenInUrl } from '../formats/url-credentials.js';
import { errorBody } from '../http/error-answer.js';
import { guardOf } from '../http/guards.js';
import { foreignOrigin } from '../http/origin.js';
import type { Principal } from '../http/principal.js';
import { ForeignOrigin } from '../http/protocol-errors.js';
import type { CallerRequest, Identity } from '../interfaces/auth.js';
import type { Logger } from '../interfaces/logger.js';
import { asGatewayError, type GatewayError, NotLoggedIn, NotReady } from '../model/errors.js';
import type { Hub } from './hub.js';
import { defaultLimits, type HubLimits } from './limits.js';
import type { Peer } from './peer.js';
import type { Caller } from './rights.js';
import type { HubConnection, HubSocket } from './socket.js';
import { createSocketCapacity, type SocketAccount } from './socket-capacity.js';
import { createTrustedPublishers, type TrustedPublisher } from './trusted-publishers.js';

type Headers = Readonly<Record<string, string>>;

/** The upgrade request of a WebSocket, before the handshake. */
export interface UpgradeRequest extends CallerRequest {
  /** Path and query. */
  readonly url: string;
}

/** What a WebSocket adapter talks to. */
export interface UpgradeHandler {
  /** Decides about an upgrade. Never rejects. */
  accept(request: UpgradeRequest): Promise<Admitted | Refused>;
  readonly limits: Pick<HubLimits, 'messageBytes' | 'fragments'>;
}

/** A place for one socket. `connect` must be called in the same turn of the event loop, when the handshake is done. */
export interface Admitted {
  /** To be sent with the handshake. */
  readonly headers: Headers;
  connect(socket: HubSocket): HubConnection;
  /** Gives the place back: when the socket has closed, or the handshake failed. */
  leave(): void;
}

/** To be sent instead of the handshake. */
export interface Refused {
  readonly refused: {
    readonly status: number;
    readonly headers: Headers;
    readonly body: string;
  };
}

export interface UpgradeHandlerOptions {
  readonly hub: Hub;
  readonly logger: Logger;
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  /** `undefined` for an account that is gone. Returning the same object while nothing changed saves work. */
  principalOf(identity: Identity): Promise<Principal | undefined>;
  /** What a client sends is use of its session, as a request is; what it only hears is not. */
  readonly onUse?: (sessionId: string) => void;
  /** What a 401 says in `WWW-Authenticate`. Default: nothing. */
  readonly challenge?: () => string | undefined;
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

/** Who is at the other end; without an identity a peer that is trusted by its address. */
interface Known {
  readonly identity: Identity | undefined;
  readonly caller: Caller;
}

/** What the authenticator adds to the answer, whatever it will be. */
type Added = Record<string, string>;

/** Authenticates upgrades as HTTP requests are, and counts sockets. */
export function createUpgradeHandler(options: UpgradeHandlerOptions): UpgradeHandler {
  const { hub, logger, origins = [] } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const guard = guardOf(origins);
  const trust = createTrustedPublishers(options.trustedPublishers ?? []);
  const capacity = createSocketCapacity(limits);
  const doorway: Doorway = { hub, callerOf, onUse: options.onUse ?? (() => {}), leave: capacity.leave };

  async function know(request: UpgradeRequest): Promise<Known> {
    const identity = await options.authenticate(request);
    const caller = identity && (await callerOf(identity));
    if (caller) return { identity, caller };
    const trustedTopics = trust(request.remoteAddress);
    if (!trustedTopics) throw new NotLoggedIn();
    return { identity: undefined, caller: { trustedTopics } };
  }

  async function callerOf(identity: Identity): Promise<Caller | undefined> {
    const principal = await options.principalOf(identity);
    if (!principal) return undefined;
    const application = options.applicationOf?.(identity);
    return application === undefined ? { principal } : { principal, application };
  }

  /** Until nothing changed while we asked: a session that ended meanwhile must not get a socket. */
  async function knowNow(request: UpgradeRequest): Promise<Known> {
    for (let tries = 0; tries < 5; tries++) {
      const { epoch } = hub;
      const known = await know(request);
      if (epoch === hub.epoch) return known;
    }
    throw new NotReady('Rights are changing all the time; try again');
  }

  /** Sockets are counted under this name, up to this number. */
  function accountOf({ identity, caller }: Known, address: string): [name: string, most: number] {
    const { application } = caller;
    if (identity === undefined) return [`address ${address}`, limits.connectionsPerApplication];
    if (application === undefined) return [`user ${identity.userName}`, limits.connectionsPerUser];
    return [`application ${application}`, limits.connectionsPerApplication];
  }

  async function admit(given: UpgradeRequest, headers: Added): Promise<Admitted> {
    const request: UpgradeRequest = {
      ...given,
      setHeader(name, value) {
        validateHeaderName(name);
        validateHeaderValue(name, value);
        headers[name.toLowerCase()] = value;
      },
    };
    options.requireOpen?.();
    const origin = foreignOrigin(request, origins);
    if (origin !== undefined) throw new ForeignOrigin(origin);
    refuseTokenInUrl(request.url);
    capacity.reserve();
    try {
      const known = await knowNow(request);
      const account = capacity.enter(...accountOf(known, request.remoteAddress));
      return new Admission(doorway, known, account, wantsErrors(request.url), headers);
    } catch (error) {
      capacity.cancel();
      throw error;
    }
  }

  return {
    limits,
    async accept(request) {
      const headers: Added = {};
      try {
        return await admit(request, headers);
      } catch (thrown) {
        const error = asGatewayError(thrown);
        const requestId = randomUUID();
        const fields = {
          requestId,
          status: error.status,
          code: error.code,
          remoteAddress: request.remoteAddress,
        };
        if (error.status >= 500)
          logger.error(
            { event: 'hub.connection_refused', ...fields, err: error.cause ?? error },
            'WebSocket refused',
          );
        else logger.info({ event: 'hub.connection_refused', ...fields }, 'WebSocket refused');
        const challenge = error instanceof NotLoggedIn ? options.challenge?.() : undefined;
        if (challenge !== undefined) headers['www-authenticate'] ??= challenge;
        return { refused: refusal(error, requestId, { ...headers, ...guard }) };
      }
    },
  };
}

const refusal = (error: GatewayError, requestId: string, added: Headers): Refused['refused'] => ({
  status: error.status,
  headers: { ...added, ...error.headers, 'content-type': 'application/json' },
  body: JSON.stringify(errorBody(error, requestId)),
});

/** What all admissions share. */
interface Doorway {
  readonly hub: Hub;
  callerOf(identity: Identity): Promise<Caller | undefined>;
  onUse(sessionId: string): void;
  /** Gives the place back. */
  leave(account: SocketAccount): void;
}

/** One object for all that is kept of one upgrade, because there are thousands. */
class Admission implements Admitted, Peer {
  readonly caller: Caller;
  private readonly identity: Identity | undefined;

  constructor(
    private readonly door: Doorway,
    { caller, identity }: Known,
    private readonly account: SocketAccount,
    readonly wantsErrors: boolean,
    readonly headers: Headers,
  ) {
    this.caller = caller;
    this.identity = identity;
  }

  get sessionId(): string | undefined {
    return this.identity?.sessionId;
  }

  onUse(): void {
    if (this.sessionId !== undefined) this.door.onUse(this.sessionId);
  }

  async refresh(): Promise<Caller | undefined> {
    return this.identity ? this.door.callerOf(this.identity) : this.caller;
  }

  connect(socket: HubSocket): HubConnection {
    return this.door.hub.connect(socket, this);
  }

  leave(): void {
    this.door.leave(this.account);
  }
}

const wantsErrors = (url: string): boolean =>
  url.includes('?') && new URLSearchParams(url.slice(url.indexOf('?'))).get('errors') === 'true';
