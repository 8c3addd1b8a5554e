import type { Mail } from '../../interfaces/mailer.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import { StoredMail } from './stored.js';

/** What waits in the outbox, where it is kept over a restart. */
export interface MailStore {
  put(mail: Mail): Promise<void>;
  remove(id: string): Promise<void>;
  /** Oldest first. */
  load(): Promise<readonly Mail[]>;
}

export const forgetfulStore: MailStore = {
  put: async () => {},
  remove: async () => {},
  load: async () => [],
};

export function documentMailStore(documents: DocumentStore): MailStore {
  const kept = collection(documents, 'mail-outbox', StoredMail);
  return {
    async put({ id, to, ...mail }) {
      await kept.put(id, { ...mail, to: [...to] });
    },
    async remove(id) {
      await kept.remove(id);
    },
    async load() {
      const mails = (await kept.list()).map(({ key, value }): Mail => ({ ...value, id: key }));
      return mails.sort((one, other) => one.time - other.time);
    },
  };
}
