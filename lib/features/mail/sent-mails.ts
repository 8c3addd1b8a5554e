import type { Logger } from '../../interfaces/logger.js';
import type { DocumentWrite } from '../../interfaces/storage.js';
import type { MailStore } from './outbox-store.js';

/**
 * Told the id of a mail that the server took, and what the outbox has to write then. Resolves whether that is written,
 * in one batch with what the listener keeps of it.
 */
export type SentListener = (id: string, outboxWrites: readonly DocumentWrite[]) => Promise<boolean>;

/** Tells that mails were sent. What is sent while nobody listens is told to who listens next. */
export interface SentMails {
  /** Takes the place of the listener before. Returns the function that stops telling. */
  listen(listener: SentListener): () => void;
  /** Tells it, and has `outboxWrites` written: with what the listener writes, or alone. Rejects when they can't be. */
  tell(id: string, outboxWrites: readonly DocumentWrite[]): Promise<void>;
}

export function createSentMails(store: Pick<MailStore, 'write'>, logger: Logger): SentMails {
  let present: SentListener | undefined;
  const unheard: string[] = [];

  async function areWritten(
    listener: SentListener,
    id: string,
    outboxWrites: readonly DocumentWrite[],
  ): Promise<boolean> {
    try {
      return await listener(id, outboxWrites);
    } catch (err) {
      logger.error({ event: 'mail.listener_failed', err }, 'a listener for sent mails failed');
      return false;
    }
  }

  return {
    listen(listener) {
      present = listener;
      for (const id of unheard.splice(0)) void areWritten(listener, id, []);
      return () => {
        if (present === listener) present = undefined;
      };
    },
    async tell(id, outboxWrites) {
      if (!present) unheard.push(id);
      else if (await areWritten(present, id, outboxWrites)) return;
      // What was sent must not be sent again, whatever came of the listener.
      await store.write(outboxWrites);
    },
  };
}
