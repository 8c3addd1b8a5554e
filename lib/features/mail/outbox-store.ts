import type { Mail } from '../../interfaces/mailer.js';
import type { DocumentStore, DocumentWrite } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';
import { StoredMail } from './stored.js';

/** What waits in the outbox, where it is kept over a restart. Changes are data, for a batch with what the mail tells of. */
export interface MailStore {
  put(mail: Mail): readonly DocumentWrite[];
  remove(id: string): readonly DocumentWrite[];
  write(batch: readonly DocumentWrite[]): Promise<void>;
  /** Oldest first. */
  load(): Promise<readonly Mail[]>;
}

export const forgetfulStore: MailStore = {
  put: () => [],
  remove: () => [],
  write: async () => {},
  load: async () => [],
};

export function documentMailStore(documents: DocumentStore): MailStore {
  const kept = collection(documents, 'mail-outbox', StoredMail);
  return {
    put: ({ id, to, ...mail }) => [kept.writes.put(id, { ...mail, to: [...to] })],
    remove: (id) => [kept.writes.remove(id)],
    async write(batch) {
      await documents.write(batch);
    },
    async load() {
      const mails = (await kept.list()).map(({ key, value }): Mail => ({ ...value, id: key }));
      return mails.sort((one, other) => one.time - other.time);
    },
  };
}
