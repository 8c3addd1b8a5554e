/**
 * When a streaming window began, epoch milliseconds, from its id alone (epoch seconds << 32 | counter), so that a
 * window that is replayed gets the same time again.
 */
export function windowTime(windowId: string, windowMillis: number): number {
  const id = BigInt(windowId);
  return Number(id >> 32n) * 1_000 + Number(id & 0xffff_ffffn) * windowMillis;
}
