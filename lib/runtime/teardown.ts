/** What has to be ended together. */
export interface Teardown {
  /** What was added last is ended first. */
  add(end: () => unknown): void;
  /**
   * Idempotent. One that fails keeps none of the others from being ended; rejects afterwards with its error, or with an
   * `AggregateError` when several failed.
   */
  end(): Promise<void>;
}

export function createTeardown(): Teardown {
  const ends: (() => unknown)[] = [];
  let ending: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let end = ends.pop(); end; end = ends.pop()) {
      try {
        await end();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} parts could not be closed`);
  }

  return {
    add: (end) => ends.push(end),
    end() {
      ending ??= endAll();
      return ending;
    },
  };
}
