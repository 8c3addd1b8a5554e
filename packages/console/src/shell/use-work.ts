import { useState } from 'react';

/** Something that takes a while and may fail, behind one button: whether it goes on, and what it failed with last. */
export function useWork(): {
  readonly isWorking: boolean;
  readonly error: Error | undefined;
  /** Resolves whether it was done. */
  run(work: () => Promise<unknown>): Promise<boolean>;
} {
  const [isWorking, setWorking] = useState(false);
  const [error, setError] = useState<Error>();
  return {
    isWorking,
    error,
    async run(work) {
      setWorking(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (thrown) {
        setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
        return false;
      } finally {
        setWorking(false);
      }
    },
  };
}
