import type { HubLimits } from './limits.js';

/** A bucket of tokens that fills steadily. It may go below zero: what has arrived is served, what follows waits. */
export interface Rate {
  tokens: number;
  filledAt: number;
}

export const newRate = (limits: Pick<HubLimits, 'messageBurst'>, now: number): Rate => ({
  tokens: limits.messageBurst,
  filledAt: now,
});

type RateLimits = Pick<HubLimits, 'messagesPerSecond' | 'messageBurst'>;

/** Takes one token. */
export function take(rate: Rate, limits: RateLimits, now: number): void {
  fill(rate, limits, now);
  rate.tokens--;
}

/** For how many milliseconds to stop reading; 0 to go on. */
export function waitOf(rate: Rate, limits: RateLimits, now: number): number {
  fill(rate, limits, now);
  // A tenth of a second more, so that some messages have room then, not a single one.
  return rate.tokens >= 0 ? 0 : Math.ceil((-rate.tokens * 1000) / limits.messagesPerSecond) + 100;
}

function fill(rate: Rate, limits: RateLimits, now: number): void {
  const filled = ((now - rate.filledAt) * limits.messagesPerSecond) / 1000;
  rate.tokens = Math.min(limits.messageBurst, rate.tokens + filled);
  rate.filledAt = now;
}
