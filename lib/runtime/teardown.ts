/** What has to be ended together. */
export interface Teardown {
  /**
   * What was added last is ended first. `part` names it in sentences: `the storage`. `within`: how many milliseconds it may
   * take, given those of the others; `Infinity` for what limits itself. Default: as the others.
   */
  add(part: string, end: () => unknown, within?: (usualMillis: number) => number): void;
  /**
   * Idempotent. One that fails, or takes too long, is told to `failed` and keeps none of the others from being ended; rejects
   * afterwards with its error, or with an `AggregateError` when several failed.
   */
  end(): Promise<void>;
  /** Another one of the same limits, for what ends earlier. Nobody is told twice of a failure when this one ends it too. */
  another(): Teardown;
}

interface TeardownOptions {
  /** Milliseconds for a part. Asked when it is ended. */
  limitMillis(): number;
  /** Told at once, while others are still being ended. */
  failed(part: string, error: unknown): void;
}

export function createTeardown({ limitMillis, failed }: TeardownOptions): Teardown {
  const told = new Set<unknown>();

  function tell(part: string, error: unknown): void {
    if (told.has(error)) return;
    told.add(error);
    failed(part, error);
  }

  function create(): Teardown {
    const parts: { part: string; end: () => unknown; within: (usualMillis: number) => number }[] = [];
    let ending: Promise<void> | undefined;

    async function endAll(): Promise<void> {
      const errors: unknown[] = [];
      for (let next = parts.pop(); next; next = parts.pop()) {
        try {
          await ended(next.part, next.within(limitMillis()), next.end);
        } catch (error) {
          tell(next.part, error);
          errors.push(error);
        }
      }
      if (errors.length === 0) return;
      const error =
        errors.length === 1
          ? errors[0]
          : new AggregateError(errors, `${errors.length} parts could not be closed`);
      told.add(error);
      throw error;
    }

    return {
      add: (part, end, within = (usualMillis) => usualMillis) => parts.push({ part, end, within }),
      end() {
        ending ??= endAll();
        return ending;
      },
      another: create,
    };
  }

  return create();
}

/** What it does after its time goes on: nobody can end it from outside. */
async function ended(part: string, millis: number, end: () => unknown): Promise<void> {
  if (millis === Infinity) {
    await end();
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const sentence = `${part.charAt(0).toUpperCase()}${part.slice(1)} has not closed within ${millis / 1000} s`;
    timer = setTimeout(() => reject(new Error(sentence)), millis);
  });
  try {
    await Promise.race([end(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
