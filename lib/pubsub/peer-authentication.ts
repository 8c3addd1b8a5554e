import type { Principal } from '../http/principal.js';
import type { CallerRequest, Identity } from '../interfaces/auth.js';
import { NotLoggedIn, NotReady } from '../model/errors.js';
import type { Caller } from './rights.js';
import { createTrustedPublishers, type TrustedPublisher } from './trusted-publishers.js';

export interface PeerAuthenticationOptions {
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  /** `undefined` for an account that is gone. Returning the same object while nothing changed saves work. */
  principalOf(identity: Identity): Principal | undefined;
  /** The application that this identity is the credential of. Default: none. */
  readonly applicationOf?: (identity: Identity) => string | undefined;
  /** Default: none. */
  readonly trustedPublishers?: readonly TrustedPublisher[];
}

/** Who is at the other end; without an identity a peer that is trusted by its address. */
export interface KnownPeer {
  readonly identity: Identity | undefined;
  readonly caller: Caller;
  /** Of the hub, when this was found out. */
  readonly epoch: number;
}

/** Finds out who asks for a socket, as for HTTP requests. */
interface PeerAuthentication {
  /** Throws `NotLoggedIn` for nobody. */
  authenticate(request: CallerRequest): Promise<KnownPeer>;
  /** Somebody whom a request has made known. Throws `NotLoggedIn` when that is over: `isOpen` says whether a session is still there. */
  known(identity: Identity, isOpen: (sessionId: string) => boolean): Promise<KnownPeer>;
  /** `undefined` when nobody knows it any more. */
  callerOf(identity: Identity): Promise<Caller | undefined>;
}

export function createPeerAuthentication(
  options: PeerAuthenticationOptions,
  hub: { readonly epoch: number },
): PeerAuthentication {
  const topicsOfAddress = createTrustedPublishers(options.trustedPublishers ?? []);

  async function callerOf(identity: Identity): Promise<Caller | undefined> {
    const principal = options.principalOf(identity);
    if (!principal) return undefined;
    const application = options.applicationOf?.(identity);
    return application === undefined ? { principal } : { principal, application };
  }

  async function authenticateOnce(request: CallerRequest): Promise<Omit<KnownPeer, 'epoch'>> {
    const identity = await options.authenticate(request);
    const caller = identity && (await callerOf(identity));
    if (caller) return { identity, caller };
    const trustedTopics = topicsOfAddress(request.remoteAddress);
    if (!trustedTopics) throw new NotLoggedIn();
    return { identity: undefined, caller: { trustedTopics } };
  }

  /** Until nothing changed while we asked: a session that ended meanwhile must not get a socket. */
  async function unchanged(ask: () => Promise<Omit<KnownPeer, 'epoch'>>): Promise<KnownPeer> {
    for (let tries = 0; tries < 5; tries++) {
      const { epoch } = hub;
      const peer = await ask();
      if (epoch === hub.epoch) return { ...peer, epoch };
    }
    throw new NotReady('Rights are changing all the time; try again');
  }

  return {
    callerOf,
    authenticate: (request) => unchanged(() => authenticateOnce(request)),
    known: (identity, isOpen) =>
      unchanged(async () => {
        const caller = await callerOf(identity);
        const isOver = identity.sessionId !== undefined && !isOpen(identity.sessionId);
        if (!caller || isOver) throw new NotLoggedIn();
        return { identity, caller };
      }),
  };
}
