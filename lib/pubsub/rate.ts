import type { HubLimits } from './limits.js';

// A bucket of tokens that fills steadily, kept as one number for each socket: the moment at which it will be full
// again. It may go below zero: what has arrived is served, what follows waits.

type RateLimits = Pick<HubLimits, 'messagesPerSecond' | 'messageBurst'>;

/** Takes one token out of a bucket that is full at `fullAt`; returns when it is full then. */
export const take = (fullAt: number, limits: RateLimits, now: number): number =>
  Math.max(fullAt, now) + 1000 / limits.messagesPerSecond;

/** For how many milliseconds to stop reading; 0 to go on. */
export function waitOf(fullAt: number, limits: RateLimits, now: number): number {
  const overdrawn = fullAt - now - (limits.messageBurst * 1000) / limits.messagesPerSecond;
  // A tenth of a second more, so that some messages have room then, not a single one.
  return overdrawn <= tolerance ? 0 : Math.ceil(overdrawn - tolerance) + 100;
}

/** Milliseconds: sums of fractions are not exact. */
const tolerance = 1e-3;
