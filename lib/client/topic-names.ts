interface NamesDeps {
  ask(): void;
  readonly isConnected: boolean;
  connect(): void;
}

/** The names of topics, for whoever asks: an answer that comes without a subscription, to all who wait for it. */
interface TopicNames {
  readonly isAsked: boolean;
  /** Says it to a connection that stands anew. */
  ask(): void;
  told(data: unknown): void;
  giveUp(reason: unknown): void;
  latest(signal?: AbortSignal): Promise<readonly string[]>;
}

interface Waiting {
  answer(names: readonly string[]): void;
  giveUp(reason: unknown): void;
}

export function topicNames(deps: NamesDeps): TopicNames {
  const waiting = new Set<Waiting>();

  function latest(signal?: AbortSignal): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const forget = () => {
        waiting.delete(one);
        signal?.removeEventListener('abort', givenUp);
      };
      const one: Waiting = {
        answer(names) {
          forget();
          resolve(names);
        },
        giveUp(reason) {
          forget();
          reject(reason);
        },
      };
      const givenUp = () => one.giveUp(signal?.reason);
      signal?.addEventListener('abort', givenUp);
      waiting.add(one);
      if (deps.isConnected) deps.ask();
      else deps.connect();
    });
  }

  return {
    get isAsked() {
      return waiting.size > 0;
    },
    ask() {
      if (waiting.size > 0) deps.ask();
    },
    told(data) {
      const names = Array.isArray(data) ? data.filter((name) => typeof name === 'string') : [];
      for (const one of [...waiting]) one.answer(names);
    },
    giveUp(reason) {
      for (const one of [...waiting]) one.giveUp(reason);
    },
    latest,
  };
}
