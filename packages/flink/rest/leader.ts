import { GatewayError, TimedOut, Unreachable, UnusableAnswer } from 'headgate/driver-kit';

interface Question {
  /** One that may have been heard is not asked again. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
  /** The one that is asked. Default: whoever leads. */
  readonly at?: string | undefined;
}

/** Finds out which JobManager leads, of those there are. */
interface Leader {
  /** Whoever stands by answers for the one that leads, or says that it can't: then the next one is asked. */
  ask<T>(ask: (base: string) => Promise<T>, question: Question): Promise<T>;
  /** Base URL of the one that answered last, or that will be asked first. */
  readonly active: string;
}

export function findLeader(urls: readonly string[], name: string): Leader {
  let active = urls[0] ?? '';
  return {
    async ask(ask, { isRepeatable, signal, at }) {
      let problem: unknown;
      const bases = at === undefined ? [active, ...urls.filter((url) => url !== active)] : [at];
      for (const base of bases) {
        try {
          const answer = await ask(base);
          active = base;
          return answer;
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof GatewayError) || error.status < 500) throw error;
          if (!isRepeatable && !(error instanceof Unreachable)) throw error;
          problem = worse(problem, error);
        }
      }
      throw problem ?? new Unreachable(name);
    },
    get active() {
      return active;
    },
  };
}

/** Of several that failed: one that answered tells more than one that is not there. */
const worse = (before: unknown, error: GatewayError): unknown =>
  before instanceof UnusableAnswer || (before instanceof TimedOut && error instanceof Unreachable)
    ? before
    : error;
