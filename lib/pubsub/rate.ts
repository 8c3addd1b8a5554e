/** A bucket of tokens that fills steadily. It may go below zero: what has arrived is served, what follows waits. */
export interface Rate {
  /** Takes one; tells how many milliseconds to stop reading, 0 to go on. */
  take(now: number): number;
}

export function createRate(perSecond: number, burst: number): Rate {
  let tokens = burst;
  let filledAt: number | undefined;
  return {
    take(now) {
      tokens = Math.min(burst, tokens + ((now - (filledAt ?? now)) * perSecond) / 1000);
      filledAt = now;
      tokens -= 1;
      // After a pause of a tenth of a second there is room for some messages, not for a single one.
      return tokens >= 0 ? 0 : Math.ceil((-tokens * 1000) / perSecond) + 100;
    },
  };
}
