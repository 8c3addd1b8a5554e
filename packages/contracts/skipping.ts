/** Ends a test whose driver, or whose subject, lacks what it is about. */
class NotTried extends Error {}

/** A facet of a driver; skips the test, naming it, where the driver has none. */
export function offered<T>(facet: string, part: T | undefined): T {
  if (part === undefined) throw new NotTried(`the driver does not offer ${facet}`);
  return part;
}

/** An optional part of what the contract was given; skips the test, naming it, where it is absent. */
export function given<T>(name: string, part: T | undefined): T {
  if (part === undefined) throw new NotTried(`not tried without \`${name}\``);
  return part;
}

/** For `suite.test`. It takes no argument by name: runners take one that does for one that is told when it ends. */
export const skippable =
  (name: string, run: () => Promise<void>) =>
  async (...[context]: unknown[]): Promise<void> => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof NotTried)) throw error;
      if (canSkip(context)) context.skip(error.message);
      else process.stdout.write(`# ${name}: skipped, ${error.message}\n`);
    }
  };

const canSkip = (context: unknown): context is { skip(message: string): void } =>
  typeof context === 'object' && context !== null && 'skip' in context && typeof context.skip === 'function';
