import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import { createListeners } from '../../runtime/listeners.js';
import type { StoredToken } from './schema.js';
import { idOf, isSecretOf } from './secret.js';

/** All tokens, in memory: they are looked up at every request. What is being written counts for nothing yet. */
export interface TokenIndex {
  /** Whose it is; counts as use. One object while the token lives. */
  verify(text: string): Identity | undefined;
  get(id: string): StoredToken | undefined;
  /** The oldest first. */
  list(userName?: string): readonly StoredToken[];
  /** Those included that are being written. */
  allOf(userName: string): readonly StoredToken[];
  /** One that is being written. */
  add(token: StoredToken): void;
  /** It is on the disk: it counts from now on. */
  written(id: string): void;
  /** It never was, so nobody is told. */
  withdraw(id: string): void;
  /** It is void from now on. */
  forget(id: string): void;
  /** Those whose time is over. */
  expired(): readonly StoredToken[];
  /** Those that were used since their last use was written. */
  used(): readonly StoredToken[];
  /** The last use that this one tells is written. */
  useWritten(token: StoredToken): void;
  /** Told the `sessionId` of identities whose token is void now. Returns the function that stops telling. */
  onEnd(listener: (sessionId: string) => void): () => void;
}

interface Entry {
  token: StoredToken;
  readonly identity: Identity;
  isWritten: boolean;
  /** Its last use is to be written. */
  isUsed: boolean;
}

export function createTokenIndex(clock: Clock, onListenerError: (error: unknown) => void): TokenIndex {
  const entries = new Map<string, Entry>();
  const ended = createListeners<[sessionId: string]>(onListenerError);
  const isOver = ({ token }: Entry): boolean => clock.now() >= token.expiresAt;
  const isUsable = (entry: Entry): boolean => entry.isWritten && !isOver(entry);
  const tokensWith = (has: (entry: Entry) => boolean): StoredToken[] =>
    [...entries.values()].filter(has).map(({ token }) => token);

  return {
    verify(text) {
      const id = idOf(text);
      const entry = id === undefined ? undefined : entries.get(id);
      if (!entry || !isSecretOf(text, entry.token.hash) || !isUsable(entry)) return undefined;
      const hour = hourOf(clock.now());
      if (entry.token.lastUsedAt !== hour) {
        entry.token = { ...entry.token, lastUsedAt: hour };
        entry.isUsed = true;
      }
      return entry.identity;
    },
    get(id) {
      const entry = entries.get(id);
      return entry && isUsable(entry) ? entry.token : undefined;
    },
    list: (userName) =>
      tokensWith(
        (entry) => isUsable(entry) && (userName === undefined || entry.token.userName === userName),
      ).sort((a, b) => a.createdAt - b.createdAt),
    allOf: (userName) => tokensWith(({ token }) => token.userName === userName),
    add(token) {
      entries.set(token.id, { token, identity: identityOf(token), isWritten: false, isUsed: false });
    },
    written(id) {
      const entry = entries.get(id);
      if (entry) entry.isWritten = true;
    },
    withdraw(id) {
      entries.delete(id);
    },
    forget(id) {
      if (entries.delete(id)) ended.tell(sessionOf(id));
    },
    expired: () => tokensWith((entry) => entry.isWritten && isOver(entry)),
    used: () => tokensWith((entry) => entry.isWritten && entry.isUsed),
    useWritten(token) {
      const entry = entries.get(token.id);
      if (entry?.token === token) entry.isUsed = false;
    },
    onEnd: ended.add,
  };
}

/** One write an hour for a token, however often it is used. */
const useMillis = 60 * 60_000;
const hourOf = (time: number): number => Math.floor(time / useMillis) * useMillis;

const sessionOf = (id: string): string => `token:${id}`;

const identityOf = ({ id, userName, permissions }: StoredToken): Identity => ({
  userName,
  scheme: 'token',
  sessionId: sessionOf(id),
  ...(permissions === undefined ? {} : { scope: permissions }),
});
