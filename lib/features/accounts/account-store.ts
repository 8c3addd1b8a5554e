import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { PreconditionFailed } from '../../model/errors.js';
import { createMutex } from '../../runtime/mutex.js';
import { type AccountDocuments, accountDocuments } from './account-documents.js';
import type { Edit } from './account-edits.js';

/** Users and roles as they are on disk now, in memory: rights are looked up at every request and every message. */
export interface AccountStore extends Pick<AccountDocuments, 'users' | 'roles'> {
  /**
   * One change after the other. `decide` sees the present state and may throw; memory follows only after the disk said
   * yes. `decide` is called again when somebody else wrote the same documents behind our back.
   */
  change(decide: () => readonly Edit[] | Promise<readonly Edit[]>): Promise<void>;
}

const maxAttempts = 5;

export async function openAccountStore(documents: DocumentStore, logger: Logger): Promise<AccountStore> {
  const { users, roles, load, write } = accountDocuments(documents, logger);
  const exclusive = createMutex();
  /** Whether the disk may hold something else than memory: a write that failed may have been made. */
  let isUnsure = false;

  async function apply(decide: Parameters<AccountStore['change']>[0]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (isUnsure) await load();
      isUnsure = false;
      const edits = await decide();
      try {
        await write(edits);
        return;
      } catch (error) {
        isUnsure = true;
        if (!(error instanceof PreconditionFailed) || attempt === maxAttempts) throw error;
      }
    }
  }

  await load();
  return { users, roles, change: (decide) => exclusive(() => apply(decide)) };
}
