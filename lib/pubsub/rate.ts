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

/** Takes one; tells how many milliseconds to stop reading, 0 to go on. */
export function take(
  rate: Rate,
  limits: Pick<HubLimits, 'messagesPerSecond' | 'messageBurst'>,
  now: number,
): number {
  const filled = ((now - rate.filledAt) * limits.messagesPerSecond) / 1000;
  rate.tokens = Math.min(limits.messageBurst, rate.tokens + filled) - 1;
  rate.filledAt = now;
  // A tenth of a second more, so that some messages have room then, not a single one.
  return rate.tokens >= 0 ? 0 : Math.ceil((-rate.tokens * 1000) / limits.messagesPerSecond) + 100;
}
