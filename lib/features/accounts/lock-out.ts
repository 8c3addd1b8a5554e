import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { TooManyRequests } from '../../model/errors.js';
import { pauseAfter } from '../../runtime/back-off.js';

/** Failures that are free, then each one doubles the wait, from one second to `maxDelayMillis`. */
const freeFailures = {
  /** One user from one address. */
  pair: 5,
  /** One user from many addresses: more, so that strangers can't lock somebody out with five requests. */
  user: 50,
  /** One address, many users: many people may share one. */
  address: 100,
};
const firstDelayMillis = 1000;
const maxDelayMillis = 15 * 60_000;
/** Quiet for so long after the wait, and it is forgotten. */
const forgetAfterMillis = 15 * 60_000;

export interface LockOut {
  /**
   * Counts an attempt as failed, before any work is done for it, so that parallel guesses count too. Throws
   * `TooManyRequests` while locked out; such an attempt is not counted. Who has come in from this address before is locked
   * out by failures of their own from there, and not by those of strangers with their name or from their address.
   */
  begin(userName: string, remoteAddress: string): Attempt;
}

/** At most one of its functions is called; neither: the attempt stays a failure. */
interface Attempt {
  /** Where its check waits: strangers take turns by their addresses, and who has come in from there before by themselves. */
  readonly place: { readonly whose: string; readonly isKnown: boolean };
  succeeded(): void;
  /** It was never decided. */
  withdraw(): void;
}

interface Count {
  failures: number;
  /** Monotonic milliseconds; attempts before it are refused. */
  blockedUntil: number;
}

export function createLockOut(options: {
  /** Monotonic milliseconds. */
  now: () => number;
  /** Counters kept; at the limit those that block nobody go first. Default: 30,000. */
  maxCounters?: number;
  /** Users of addresses that are remembered for having come in. Default: 10,000. */
  maxKnown?: number;
}): LockOut {
  const { now, maxCounters = 30_000, maxKnown = 10_000 } = options;
  /** One user from one address each, in the order of their last login. */
  const known = new Set<string>();
  /** In the order of their last failure. */
  const counts = new Map<string, Count>();

  function fail(key: string, free: number): void {
    const time = now();
    const known = counts.get(key);
    const failures = known === undefined || isOver(known, time) ? 1 : known.failures + 1;
    const blockedUntil = failures < free ? 0 : time + delayAfter(failures - free);
    counts.delete(key);
    if (counts.size >= maxCounters) dropSome(counts, time);
    counts.set(key, { failures, blockedUntil: Math.max(blockedUntil, known?.blockedUntil ?? 0, time) });
  }

  function takeBack(key: string, free: number): void {
    const count = counts.get(key);
    if (count === undefined) return;
    count.failures--;
    if (count.failures < free) count.blockedUntil = Math.min(count.blockedUntil, now());
    if (count.failures <= 0) counts.delete(key);
  }

  function remember(pair: string): void {
    known.delete(pair);
    known.add(pair);
    const [oldest] = known;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  }

  return {
    begin(userName, remoteAddress) {
      const address = networkOf(remoteAddress);
      const pair = keyOf('pair', userName, address);
      const keys = [
        { key: pair, free: freeFailures.pair },
        { key: keyOf('user', userName), free: freeFailures.user },
        { key: keyOf('address', address), free: freeFailures.address },
      ];
      const isKnown = known.has(pair);
      const asked = isKnown ? [pair] : keys.map(({ key }) => key);
      const wait = Math.max(...asked.map((key) => (counts.get(key)?.blockedUntil ?? 0) - now()));
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000);
        throw new TooManyRequests(`Too many failed logins; try again in ${seconds} s`, seconds);
      }
      for (const { key, free } of keys) fail(key, free);
      return {
        place: { whose: isKnown ? pair : address, isKnown },
        succeeded() {
          for (const { key, free } of keys) takeBack(key, free);
          counts.delete(pair);
          remember(pair);
        },
        withdraw() {
          for (const { key, free } of keys) takeBack(key, free);
        },
      };
    },
  };
}

/** Of one length, however long a name somebody sends. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

const delayAfter = (extraFailures: number): number =>
  pauseAfter(extraFailures + 1, { first: firstDelayMillis, most: maxDelayMillis }, 0);

const isOver = (count: Count, time: number): boolean => time >= count.blockedUntil + forgetAfterMillis;

/** A tenth, the oldest of those that block nobody first: in one go, because finding the oldest of a map is slow. */
function dropSome(counts: Map<string, Count>, time: number): void {
  const until = Math.floor(counts.size * 0.9);
  const drop = (mayGo: (count: Count) => boolean) => {
    for (const [key, count] of counts) {
      if (counts.size <= until) return;
      if (mayGo(count)) counts.delete(key);
    }
  };
  drop(({ blockedUntil }) => blockedUntil <= time);
  drop(() => true);
}

/** Whoever has one IPv6 address has the 2^64 of its network. */
export function networkOf(remoteAddress: string): string {
  const address = remoteAddress.toLowerCase().replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
