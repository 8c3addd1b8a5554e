import { randomUUID } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { refuseTokenInUrl } from '../formats/url-credentials.js';
import { pathOf } from '../http/dispatch.js';
import { errorBody } from '../http/error-answer.js';
import { guardOf } from '../http/guards.js';
import { answerLevel } from '../http/log-level.js';
import { foreignOrigin } from '../http/origin.js';
import type { Principal } from '../http/principal.js';
import { ForeignOrigin } from '../http/protocol-errors.js';
import type { Identity } from '../interfaces/auth.js';
import type { Logger } from '../interfaces/logger.js';
import { asGatewayError, type GatewayError, NotLoggedIn } from '../model/errors.js';
import type { Hub } from './hub.js';
import { defaultLimits, type HubLimits } from './limits.js';
import type { Peer } from './peer.js';
import {
  createPeerAuthentication,
  type KnownPeer,
  type PeerAuthenticationOptions,
} from './peer-authentication.js';
import type { Caller } from './rights.js';
import type { HubConnection, HubSocket } from './socket.js';
import { createSocketCapacity, type SocketAccount } from './socket-capacity.js';
import { KnownUpgrade, type UpgradeRequest } from './upgrade-request.js';

type Headers = Readonly<Record<string, string>>;

/** What a WebSocket adapter talks to. */
export interface UpgradeHandler {
  /** Decides about an upgrade. Never rejects. */
  accept(request: UpgradeRequest): Promise<Admitted | Refused>;
  /**
   * To be called when something else in the process has answered an upgrade of the gateway's, or ended its socket: the log says so
   * once, with what to do about it. Otherwise the host would never learn why the WebSocket does not open.
   */
  answeredElsewhere(request: UpgradeRequest): void;
  /** What to send where an upgrade was admitted and the handshake can't be done after all. The log says why. */
  failed(request: UpgradeRequest, thrown: unknown): Refused;
  readonly limits: Pick<HubLimits, 'messageBytes' | 'fragments'>;
}

/** Where places for sockets come from. */
export interface PubsubEntry extends UpgradeHandler {
  readonly limits: HubLimits;
  /**
   * A place for the socket of a caller that a request has made known. It is told errors. Rejects with `NotLoggedIn` when its session is
   * over meanwhile, with `TooManyRequests` and `NotReady` when there is no place.
   */
  admit(user: Principal, remoteAddress: string): Promise<Admitted>;
}

/**
 * A place for one socket. `connect` is called when the handshake is done; where rights changed in between, or the session ended,
 * the socket is closed with 1013, and its client comes again.
 */
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

export interface UpgradeHandlerOptions extends PeerAuthenticationOptions {
  readonly hub: Hub;
  readonly logger: Logger;
  /** What a client sends is use of its session, as a request is; what it only hears is not. `false`: the session is over. */
  readonly onUse?: (sessionId: string) => boolean;
  /** What a 401 says in `WWW-Authenticate`. Default: nothing. */
  readonly challenge?: () => string | undefined;
  /** Throws `NotReady` when the gateway has been closed. Default: it never is. */
  readonly requireOpen?: () => void;
  /** Whole origins whose pages may connect, besides our own. Default: none. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<HubLimits>;
}

/** What the authenticator adds to the answer, whatever it will be. */
type Added = Record<string, string>;

/** Authenticates upgrades as HTTP requests are, and counts sockets. */
export function createUpgradeHandler(options: UpgradeHandlerOptions): PubsubEntry {
  const { hub, logger, origins = [] } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const { authenticate, known, callerOf } = createPeerAuthentication(options, hub);
  const capacity = createSocketCapacity(limits);
  const context: UpgradeContext = {
    hub,
    callerOf,
    onUse: options.onUse ?? (() => true),
    leave: capacity.leave,
  };

  /** Sockets are counted under this name, up to this number. */
  function accountOf({ identity, caller }: KnownPeer, address: string): [name: string, most: number] {
    const { application } = caller;
    if (identity === undefined) return [`address ${address}`, limits.connectionsPerApplication];
    if (application === undefined) return [`user ${identity.userName}`, limits.connectionsPerUser];
    return [`application ${application}`, limits.connectionsPerApplication];
  }

  async function place(
    who: () => Promise<KnownPeer>,
    remoteAddress: string,
    told: { readonly wantsErrors: boolean; readonly headers: Added },
  ): Promise<Admitted> {
    capacity.reserve();
    try {
      const peer = await who();
      const account = capacity.enter(...accountOf(peer, remoteAddress));
      return new AdmittedPeer(context, peer, account, told);
    } catch (error) {
      capacity.cancel();
      throw error;
    }
  }

  async function upgrade(request: UpgradeRequest, headers: Added): Promise<Admitted> {
    options.requireOpen?.();
    const origin = foreignOrigin(request, origins);
    if (origin !== undefined) throw new ForeignOrigin(origin);
    refuseTokenInUrl(request.url);
    const told = { wantsErrors: wantsErrors(request.url), headers };
    return place(() => authenticate(request), request.remoteAddress, told);
  }

  let isContested = false;

  return {
    limits,
    admit: ({ identity }, remoteAddress) =>
      place(() => known(identity, context.onUse), remoteAddress, { wantsErrors: true, headers: {} }),
    answeredElsewhere({ url, remoteAddress }) {
      if (isContested) return;
      isContested = true;
      logger.error(
        { event: 'hub.upgrade_contested', path: pathOf(url), remoteAddress },
        'Something else answered a WebSocket upgrade of the gateway: call attachWebSocket before server.listen, and see what passes the event upgrade on without server.emit',
      );
    },
    failed: (request, thrown) => ({ refused: refuse(options, request, asGatewayError(thrown), {}) }),
    async accept(request) {
      const headers: Added = {};
      try {
        return await upgrade(withHeaders(request, headers), headers);
      } catch (thrown) {
        return { refused: refuse(options, request, asGatewayError(thrown), headers) };
      }
    },
  };
}

const withHeaders = (request: UpgradeRequest, headers: Added): UpgradeRequest =>
  new KnownUpgrade(request, {
    setHeader(name, value) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      headers[name.toLowerCase()] = value;
    },
  });

/** What is answered in place of the handshake, with its line in the log. */
function refuse(
  { logger, challenge, origins = [] }: UpgradeHandlerOptions,
  { remoteAddress }: UpgradeRequest,
  error: GatewayError,
  added: Added,
): Refused['refused'] {
  const { status, code } = error;
  const requestId = randomUUID();
  const fields = { requestId, status, code, remoteAddress };
  if (answerLevel(status, error, false) === 'error')
    logger.error(
      { event: 'hub.connection_refused', ...fields, err: error.cause ?? error },
      'WebSocket refused',
    );
  else logger.info({ event: 'hub.connection_refused', ...fields }, 'WebSocket refused');
  const asked = error instanceof NotLoggedIn ? challenge?.() : undefined;
  if (asked !== undefined) added['www-authenticate'] ??= asked;
  return {
    status,
    headers: { ...added, ...guardOf(origins), ...error.headers, 'content-type': 'application/json' },
    body: JSON.stringify(errorBody(error, requestId)),
  };
}

/** What all that were admitted share. */
interface UpgradeContext {
  readonly hub: Hub;
  callerOf(identity: Identity): Promise<Caller | undefined>;
  onUse(sessionId: string): boolean;
  /** Gives the place back. */
  leave(account: SocketAccount): void;
}

/** One object for all that is kept of one upgrade, because there are thousands. */
class AdmittedPeer implements Admitted, Peer {
  readonly caller: Caller;
  readonly wantsErrors: boolean;
  readonly headers: Headers;
  private readonly identity: Identity | undefined;
  private readonly epoch: number;

  constructor(
    private readonly context: UpgradeContext,
    { caller, identity, epoch }: KnownPeer,
    private readonly account: SocketAccount,
    { wantsErrors, headers }: { readonly wantsErrors: boolean; readonly headers: Headers },
  ) {
    this.wantsErrors = wantsErrors;
    this.headers = headers;
    this.caller = caller;
    this.identity = identity;
    this.epoch = epoch;
  }

  get sessionId(): string | undefined {
    return this.identity?.sessionId;
  }

  onUse(): void {
    if (this.sessionId !== undefined) this.context.onUse(this.sessionId);
  }

  async refresh(): Promise<Caller | undefined> {
    return this.identity ? this.context.callerOf(this.identity) : this.caller;
  }

  connect(socket: HubSocket): HubConnection {
    return this.context.hub.connect(socket, this, this.epoch);
  }

  leave(): void {
    this.context.leave(this.account);
  }
}

const wantsErrors = (url: string): boolean =>
  url.includes('?') && new URLSearchParams(url.slice(url.indexOf('?'))).get('errors') === 'true';
