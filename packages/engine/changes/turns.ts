import { type Mutex, TooManyRequests } from 'headgate/driver-kit';

/**
 * Lets changes of one kind wait for their turn among all that changes what runs, up to a number of them. `name` is what
 * a refusal calls them.
 */
export function createTurns(
  inOrder: Mutex,
  maxWaiting: number,
  name: string,
): (run: () => Promise<void>) => Promise<void> {
  let waiting = 0;
  return async (run) => {
    if (waiting >= maxWaiting)
      throw new TooManyRequests(`${maxWaiting} ${name} are waiting for their turn`, 1);
    waiting++;
    try {
      await inOrder(run);
    } finally {
      waiting--;
    }
  };
}
