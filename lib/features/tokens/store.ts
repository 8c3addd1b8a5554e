import type { Identity } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import { createListeners } from '../../runtime/listeners.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { createMutex } from '../../runtime/mutex.js';
import { collection } from '../../storage/collection.js';
import { StoredToken } from './schema.js';
import { idOf, isSecretOf } from './secret.js';

/** Tokens as they are on disk now, in memory: they are looked up at every request. */
export interface TokenStore {
  /** Whose it is, from memory; counts as use. One object while the token lives. */
  verify(token: string): Identity | undefined;
  get(id: string): StoredToken | undefined;
  list(userName?: string): readonly StoredToken[];
  /** `write` says how it gets on the disk. It counts from then on. */
  add(token: StoredToken, write: (writes: readonly DocumentWrite[]) => Promise<unknown>): Promise<void>;
  /** They are void at once, and so are the sockets that were opened with them. */
  remove(tokens: readonly StoredToken[]): Promise<void>;
  /** What deletes all tokens of a user, those included that are being made. */
  deletion(userName: string): readonly DocumentWrite[];
  deleted(userName: string): void;
  /** Told the `sessionId` of identities whose token is void now. Returns the function that stops telling. */
  onEnd(listener: (sessionId: string) => void): () => void;
  /** Writes down what was used last. */
  close(): Promise<void>;
}

interface Entry {
  token: StoredToken;
  readonly identity: Identity;
  isWritten: boolean;
  /** Its last use is to be written. */
  isUsed: boolean;
}

/** One write an hour for a token, however often it is used. */
const useMillis = 60 * 60_000;
const sweepMillis = 30_000;
const writesAtOnce = 100;

export async function openTokenStore(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<TokenStore> {
  const { documents, clock, logger } = deps;
  const kept = collection(documents, 'tokens', StoredToken);
  const entries = new Map<string, Entry>();
  const ended = createListeners<[sessionId: string]>((err) =>
    logger.error({ event: 'tokens.listener_failed', err }, 'a listener for ended tokens failed'),
  );

  for (const { value } of await kept.list()) entries.set(value.id, entryOf(value, true));
  for (const problem of kept.problems())
    logger.error({ event: 'tokens.token_unreadable', ...problem }, 'a token that can not be read is void');
  const sweeper = setInterval(() => void sweep(), sweepMillis).unref();

  const isOver = ({ token }: Entry): boolean => clock.now() >= token.expiresAt;
  const isUsable = (entry: Entry): boolean => entry.isWritten && !isOver(entry);
  const ofUser = (userName: string): Entry[] =>
    [...entries.values()].filter(({ token }) => token.userName === userName);

  function forget(entry: Entry): void {
    if (entries.delete(entry.token.id)) ended.tell(sessionOf(entry.token.id));
  }

  /** One after the other, so that noting a use never brings back what was removed. */
  const inTurn = createMutex();

  function remove(tokens: readonly StoredToken[]): Promise<void> {
    return inTurn(async () => {
      if (tokens.length === 0) return;
      await documents.write(tokens.map(({ id }) => kept.writes.remove(id)));
      for (const { id } of tokens) {
        const entry = entries.get(id);
        if (entry) forget(entry);
      }
    });
  }

  function noteUses(): Promise<void> {
    return inTurn(async () => {
      const used = [...entries.values()].filter((entry) => entry.isUsed && entry.isWritten);
      await mapLimited(used, writesAtOnce, noteUse);
    });
  }

  /** Only where it still is: somebody may be deleting the user. */
  async function noteUse(entry: Entry): Promise<void> {
    const { token } = entry;
    const present = await kept.get(token.id);
    if (present) {
      await kept.put(token.id, token, { ifMatch: present.etag }).catch((error: unknown) => {
        if (!(error instanceof PreconditionFailed)) throw error;
      });
    }
    entry.isUsed = entry.token !== token;
  }

  async function sweep(): Promise<void> {
    const over = [...entries.values()].filter((entry) => entry.isWritten && isOver(entry));
    try {
      await remove(over.map(({ token }) => token));
      await noteUses();
    } catch (err) {
      logger.warn(
        { event: 'tokens.write_failed', err },
        'what is known of tokens could not be written; it is tried again',
      );
    }
  }

  return {
    verify(text) {
      const id = idOf(text);
      const entry = id === undefined ? undefined : entries.get(id);
      if (!entry || !isSecretOf(text, entry.token.hash) || !isUsable(entry)) return undefined;
      const hour = Math.floor(clock.now() / useMillis) * useMillis;
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
      (userName === undefined ? [...entries.values()] : ofUser(userName))
        .filter(isUsable)
        .map(({ token }) => token)
        .sort((a, b) => a.createdAt - b.createdAt),

    async add(token, write) {
      const entry = entryOf(token, false);
      entries.set(token.id, entry);
      try {
        await write([kept.writes.put(token.id, token, { ifMatch: null })]);
        entry.isWritten = true;
      } catch (error) {
        entries.delete(token.id);
        throw error;
      }
    },
    remove,
    deletion: (userName) => ofUser(userName).map(({ token }) => kept.writes.remove(token.id)),
    deleted(userName) {
      for (const entry of ofUser(userName)) forget(entry);
    },
    onEnd: ended.add,
    async close() {
      clearInterval(sweeper);
      await noteUses().catch((err: unknown) =>
        logger.warn({ event: 'tokens.last_use_not_saved', err }, 'the last uses of tokens were not written'),
      );
    },
  };
}

const sessionOf = (id: string): string => `token:${id}`;

function entryOf(token: StoredToken, isWritten: boolean): Entry {
  const { id, userName, permissions } = token;
  const identity: Identity = {
    userName,
    scheme: 'token',
    sessionId: sessionOf(id),
    ...(permissions === undefined ? {} : { scope: permissions }),
  };
  return { token, identity, isWritten, isUsed: false };
}
