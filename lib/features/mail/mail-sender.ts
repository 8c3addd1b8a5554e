import type { Clock } from '../../interfaces/clock.js';
import type { Mail, RefusedRecipient } from '../../interfaces/mailer.js';
import { GatewayError, MailNotSent } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { MailResults } from './mail-results.js';
import type { ServerPause } from './server-pause.js';
import type { WaitingMail, WaitingMails } from './waiting-mails.js';

/** Tries the mails that wait, one at a time. */
interface MailSender {
  /** The mail that is tried now. */
  readonly current: WaitingMail | undefined;
  /** What waits, or how long, has changed. */
  schedule(): void;
  /** Ends the try that is under way. */
  cut(): void;
  /** Idempotent. Cuts the try that is under way; no other begins. */
  close(): Promise<void>;
}

export type Send = (mail: Mail, signal: AbortSignal) => Promise<readonly RefusedRecipient[]>;

/** How long a mailer may take to notice that it is to stop. */
const closeMillis = 2000;

export function createMailSender(deps: {
  readonly send: Send;
  readonly waiting: WaitingMails;
  readonly server: ServerPause;
  readonly results: MailResults;
  /** Milliseconds for one try. */
  readonly tryMillis: number;
  readonly clock: Clock;
}): MailSender {
  const { send, waiting, server, results, tryMillis, clock } = deps;
  let isClosed = false;
  let underWay: Promise<void> | undefined;
  let current: WaitingMail | undefined;
  /** Ends the try that is under way. */
  let cut: AbortController | undefined;
  /** Nothing is waited for any more. */
  const closed = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    clearTimeout(timer);
    if (underWay || isClosed) return;
    const entry = waiting.next();
    if (!entry) return;
    const wait = Math.max(entry.notBefore, server.until) - clock.monotonic();
    timer = setTimeout(begin, Math.max(0, wait), entry).unref();
  }

  function begin(entry: WaitingMail): void {
    current = entry;
    const goOn = () => {
      underWay = current = undefined;
      schedule();
    };
    // It rejects only when the logger is out of order, and then there is nowhere to say it.
    underWay = attempt(entry).then(goOn, goOn);
  }

  async function attempt(entry: WaitingMail): Promise<void> {
    await results.giveUpOld();
    const { id } = entry.mail;
    if (isClosed || !waiting.has(id)) return;
    const mine = new AbortController();
    cut = mine;
    try {
      // A mailer that is cut says what came of the mail: what the server took is not sent again.
      const refused = await withTimeout(tryMillis, 'The mail server', closed.signal, (signal) =>
        send(entry.mail, AbortSignal.any([signal, mine.signal])),
      );
      await results.taken(entry, refused);
    } catch (error) {
      if (mine.signal.aborted) return;
      await results.failed(entry, asMailNotSent(error));
    }
  }

  return {
    get current() {
      return current;
    },
    schedule,
    cut: () => cut?.abort(),
    async close() {
      isClosed = true;
      cut?.abort();
      clearTimeout(timer);
      await withTimeout(closeMillis, 'The mailer', undefined, async () => underWay).catch(() => {});
      closed.abort();
    },
  };
}

/** What a mailer of the host throws may be anything; what is shown of it is a sentence of ours. */
function asMailNotSent(error: unknown): MailNotSent {
  if (error instanceof MailNotSent) return error;
  const why = error instanceof GatewayError ? error.message : 'the mailer failed; the log tells more';
  return new MailNotSent(why, { blame: 'server', isFinal: false, cause: error });
}
