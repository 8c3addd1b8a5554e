import type { Clock } from '../../interfaces/clock.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import { mapLimited } from '../../runtime/map-limited.js';
import { createMutex } from '../../runtime/mutex.js';
import { type Collection, collection } from '../../storage/collection.js';
import { StoredToken } from './schema.js';
import { createTokenIndex, type TokenIndex } from './token-index.js';

/** Tokens as they are on the disk now: looked up in memory, and written. */
export interface TokenStore extends Pick<TokenIndex, 'verify' | 'get' | 'list' | 'onEnd'> {
  /** `write` says how it gets on the disk. It counts from then on. */
  add(token: StoredToken, write: (writes: readonly DocumentWrite[]) => Promise<unknown>): Promise<void>;
  /** They are void at once, and so are the sockets that were opened with them. */
  remove(tokens: readonly StoredToken[]): Promise<void>;
  /** What deletes all tokens of a user, those included that are being made. */
  deletion(userName: string): readonly DocumentWrite[];
  deleted(userName: string): void;
  /** Writes down what was used last. */
  close(): Promise<void>;
}

const sweepMillis = 30_000;
const writesAtOnce = 100;

export async function openTokenStore(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<TokenStore> {
  const { documents, clock, logger } = deps;
  const kept = collection(documents, 'tokens', StoredToken);
  const index = createTokenIndex(clock, (err) =>
    logger.error({ event: 'tokens.listener_failed', err }, 'a listener for ended tokens failed'),
  );
  for (const { value } of await kept.list()) {
    index.add(value);
    index.written(value.id);
  }
  for (const problem of kept.problems())
    logger.error({ event: 'tokens.token_unreadable', ...problem }, 'a token that can not be read is void');

  /** One after the other, so that writing a use never brings back what was removed. */
  const exclusive = createMutex();
  const noteUses = () => exclusive(() => writeUses(kept, index));
  const remove = (tokens: readonly StoredToken[]) =>
    exclusive(async () => {
      if (tokens.length === 0) return;
      await documents.write(tokens.map(({ id }) => kept.writes.remove(id)));
      for (const { id } of tokens) index.forget(id);
    });

  async function sweep(): Promise<void> {
    try {
      await remove(index.expired());
      await noteUses();
    } catch (err) {
      logger.warn(
        { event: 'tokens.write_failed', err },
        'what is known of tokens could not be written; it is tried again',
      );
    }
  }
  const sweeper = setInterval(() => void sweep(), sweepMillis).unref();

  return {
    verify: index.verify,
    get: index.get,
    list: index.list,
    onEnd: index.onEnd,
    async add(token, write) {
      index.add(token);
      try {
        await write([kept.writes.put(token.id, token, { ifMatch: null })]);
        index.written(token.id);
      } catch (error) {
        index.withdraw(token.id);
        throw error;
      }
    },
    remove,
    deletion: (userName) => index.allOf(userName).map(({ id }) => kept.writes.remove(id)),
    deleted(userName) {
      for (const { id } of index.allOf(userName)) index.forget(id);
    },
    async close() {
      clearInterval(sweeper);
      await noteUses().catch((err: unknown) =>
        logger.warn({ event: 'tokens.last_use_not_saved', err }, 'the last uses of tokens were not written'),
      );
    },
  };
}

/** Only where the token still is: somebody may be deleting its user. */
async function writeUses(kept: Collection<StoredToken>, index: TokenIndex): Promise<void> {
  await mapLimited(index.used(), writesAtOnce, async (token) => {
    const present = await kept.get(token.id);
    if (present) {
      await kept.put(token.id, token, { ifMatch: present.etag }).catch((error: unknown) => {
        if (!(error instanceof PreconditionFailed)) throw error;
      });
    }
    index.useWritten(token);
  });
}
