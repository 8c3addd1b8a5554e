// What stands for "no limit" in answers: clients compute with these members, and most have no case for one that is absent.

/** The largest of 32 bits, which every language holds in its smallest integer. */
const largest = 2 ** 31 - 1;

export const noLimit = {
  /** The last millisecond that dates of four digits reach. */
  expireTime: Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  memoryMBAllowed: largest,
  nodesAllowed: largest,
  exceedGracePeriod: largest,
} as const;
