import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { TooManyRequests } from '../../model/errors.js';
import { createFailureCounts } from './failure-counts.js';

/** Failures that are free. */
const freeFailures = {
  /** One user from one address, or from one device. */
  pair: 5,
  /** One user from many addresses: more, so that strangers can't lock somebody out with five requests. */
  user: 50,
  /** One address, many users: many people may share one. */
  address: 100,
};

/** Who attempts to log in, and from where. */
interface Attempting {
  readonly userName: string;
  readonly remoteAddress: string;
  /** Named by a good device cookie of this user. Absent: none came. */
  readonly device?: string | undefined;
}

export interface LockOut {
  /**
   * Counts an attempt before any work is done for it, so that parallel guesses count too. Throws `TooManyRequests` while
   * locked out; such an attempt is not counted. `docs/decisions.md`, Who is locked out.
   */
  begin(attempting: Attempting): Attempt;
}

/** One of its functions is called, once. */
interface Attempt {
  /** Where its check waits: strangers take turns by their addresses, and whom we know by themselves. */
  readonly place: { readonly whose: string; readonly isKnown: boolean };
  succeeded(): void;
  failed(): void;
  /** It was never decided. */
  withdraw(): void;
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
  const counts = createFailureCounts(now, maxCounters);

  function remember(pair: string): void {
    known.delete(pair);
    known.add(pair);
    const [oldest] = known;
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  }

  /** What is counted for an attempt, what may refuse it, and where it waits. `own` is filled by the same name from the same place alone. */
  function standing({ userName, remoteAddress, device }: Attempting) {
    if (device !== undefined) {
      const own = { key: keyOf('device', userName, device), free: freeFailures.pair };
      // All of one user's take turns as one.
      return { own, counted: [own], asked: [own], whose: keyOf('devices', userName), isKnown: true };
    }
    const address = networkOf(remoteAddress);
    const own = { key: keyOf('pair', userName, address), free: freeFailures.pair };
    const ofAddress = { key: keyOf('address', address), free: freeFailures.address };
    const site = siteOf(remoteAddress);
    const ofSite =
      site === address ? ofAddress : { key: keyOf('site', site), free: Number.POSITIVE_INFINITY };
    const ofUser = { key: keyOf('user', userName), free: freeFailures.user };
    const counted = [...new Set([own, ofUser, ofAddress, ofSite])];
    const isKnown = known.has(own.key);
    const isClean = counts.failuresOf(ofSite.key) === 0;
    return {
      own,
      counted,
      asked: isKnown || isClean ? [own] : counted,
      whose: isKnown ? own.key : site,
      isKnown,
    };
  }

  return {
    begin(attempting) {
      const { own, counted, asked, whose, isKnown } = standing(attempting);
      const wait = Math.max(...asked.map(({ key }) => counts.waitOf(key)));
      if (wait > 0) {
        const seconds = Math.ceil(wait / 1000);
        throw new TooManyRequests(`Too many failed logins; try again in ${seconds} s`, seconds);
      }
      const begun = counted.map(counts.begin);
      const withdraw = () => {
        for (const count of begun) count.withdraw();
      };
      return {
        place: { whose, isKnown },
        succeeded() {
          withdraw();
          counts.forget(own.key);
          remember(keyOf('pair', attempting.userName, networkOf(attempting.remoteAddress)));
        },
        failed() {
          for (const count of begun) count.failed();
        },
        withdraw,
      };
    },
  };
}

/** Of one length, however long a name somebody sends. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

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

/** What one customer of a provider gets, who could else come from each of 2^16 networks as somebody new. */
export const siteOf = (remoteAddress: string): string =>
  networkOf(remoteAddress).replace(/^((?:[\da-f]+:){3})[\da-f]+::\/64$/, '$1:/48');
