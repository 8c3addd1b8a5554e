import { hash, randomBytes } from 'node:crypto';
import { type Identity, NotReady, type SessionEntry } from '../../lib/driver-kit.js';

interface SessionLimits {
  /** Milliseconds without a request. */
  readonly idleMillis: number;
  /** Milliseconds from login. */
  readonly absoluteMillis: number;
  /** Open at once for one user; one more ends the one that was unused for longest. */
  readonly maxPerUser: number;
  /** Open at once; one more login is refused. */
  readonly max: number;
}

export interface Session {
  /** Safe to show and to log: it can't be used as a cookie. */
  readonly id: string;
  /** With the session's id; one object as long as the session lives. */
  readonly identity: Identity;
}

/** Where a session was opened. */
type Origin = Pick<SessionEntry, 'remoteAddress' | 'userAgent'>;

interface OpenSession extends Session {
  readonly origin: Origin;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly openedAt: number;
  lastUsedAt: number;
}

/** Open sessions, in memory only: a restart ends them. Secrets are kept as hashes. */
interface SessionStore {
  /** Rejects with `NotReady` when too many are open. */
  open(identity: Identity, origin?: Origin): { readonly session: Session; readonly secret: string };
  /** Counts as use. `undefined` for a secret that is wrong, or whose session is over. */
  find(secret: string): Session | undefined;
  touch(id: string): boolean;
  /** Those of a user that are not over. */
  list(userName: string): SessionEntry[];
  end(id: string): void;
  endAllOf(userName: string, exceptId?: string): void;
  /** Ends what is over by now. */
  sweep(): void;
  clear(): void;
}

const secretBytes = 32;
const secretLength = Math.ceil((secretBytes * 4) / 3);

export function createSessionStore(options: {
  limits: SessionLimits;
  /** Monotonic milliseconds: a change of the wall clock opens or ends nothing. */
  now: () => number;
  /** Epoch milliseconds, for people. */
  wallClock: () => number;
  onEnd: (id: string) => void;
}): SessionStore {
  const { limits, now, wallClock, onEnd } = options;
  const sessions = new Map<string, OpenSession>();
  const idsOf = new Map<string, Set<string>>();

  const isOver = ({ lastUsedAt, openedAt }: OpenSession, at = now()): boolean =>
    at - lastUsedAt >= limits.idleMillis || at - openedAt >= limits.absoluteMillis;

  function end(id: string): void {
    const session = sessions.get(id);
    if (!session) return;
    sessions.delete(id);
    const ids = idsOf.get(session.identity.userName);
    ids?.delete(id);
    if (ids?.size === 0) idsOf.delete(session.identity.userName);
    onEnd(id);
  }

  function present(id: string): OpenSession | undefined {
    const session = sessions.get(id);
    const at = now();
    if (session && isOver(session, at)) end(id);
    else if (session) session.lastUsedAt = at;
    return sessions.get(id);
  }

  /** At most `maxPerUser`. */
  const of = (userName: string): OpenSession[] =>
    [...(idsOf.get(userName) ?? [])].flatMap((id) => sessions.get(id) ?? []);

  function sweep(): void {
    for (const session of [...sessions.values()]) if (isOver(session)) end(session.id);
  }

  return {
    open(given, origin = {}) {
      const { userName } = given;
      const own = of(userName);
      if (own.length >= limits.maxPerUser) end(longestUnused(own)?.id ?? '');
      if (sessions.size >= limits.max) sweep();
      if (sessions.size >= limits.max) throw new NotReady(`${limits.max} sessions are open; try again later`);
      const secret = randomBytes(secretBytes).toString('base64url');
      const id = idOf(secret);
      const session = {
        id,
        identity: { ...given, sessionId: id },
        origin,
        createdAt: wallClock(),
        openedAt: now(),
        lastUsedAt: now(),
      };
      sessions.set(session.id, session);
      idsOf.set(userName, (idsOf.get(userName) ?? new Set()).add(session.id));
      return { session, secret };
    },
    find: (secret) => (secret.length === secretLength ? present(idOf(secret)) : undefined),
    touch: (id) => present(id) !== undefined,
    list: (userName) =>
      of(userName)
        .filter((session) => !isOver(session))
        .map((session) => entryOf(session, wallClock() - (now() - session.lastUsedAt))),
    end,
    endAllOf(userName, exceptId) {
      for (const id of [...(idsOf.get(userName) ?? [])]) if (id !== exceptId) end(id);
    },
    sweep,
    clear() {
      for (const id of [...sessions.keys()]) end(id);
    },
  };
}

const entryOf = ({ id, origin, createdAt }: OpenSession, lastUsedAt: number): SessionEntry => ({
  ...{ id, createdAt, ...origin },
  lastUsedAt,
});

function longestUnused(all: readonly OpenSession[]): OpenSession | undefined {
  let found: OpenSession | undefined;
  for (const session of all) if (!found || session.lastUsedAt < found.lastUsedAt) found = session;
  return found;
}

/** In one call, which takes a third of the time: each request asks. */
const idOf = (secret: string): string => hash('sha256', secret, 'base64url');
