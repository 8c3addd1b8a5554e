import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials, Identity } from '../../lib/driver-kit.js';

/** Longer headers are no credentials: the name has at most 64 characters, the password 1024. */
const maxHeaderLength = 8 * 1024;

/** What `Authorization: Basic` holds (RFC 7617, UTF-8); `undefined` when it is absent or malformed. */
export function basicCredentials(headers: IncomingHttpHeaders): Credentials | undefined {
  const header = headers.authorization;
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { userName: text.slice(0, colon), password: text.slice(colon + 1) };
}

/**
 * Remembers for a short time whose credentials were right, so that a script pays for the slow check once and not at
 * every request. Requests that come while the same credentials are checked wait for that one check, whose signal aborts
 * when all of them have gone.
 */
interface CredentialCache {
  check(
    credentials: Credentials,
    signal: AbortSignal | undefined,
    verify: (whileWaiting: AbortSignal) => Promise<Identity | undefined>,
  ): Promise<Identity | undefined>;
  forget(userName: string): void;
  clear(): void;
}

export function createCredentialCache(options: {
  /** Monotonic milliseconds. */
  now: () => number;
  keepMillis: number;
  max: number;
}): CredentialCache {
  const { now, keepMillis, max } = options;
  // Of this process and this cache only: what is in memory can't be tried against a list of passwords elsewhere.
  const secret = randomBytes(32);
  const right = new Map<
    string,
    { readonly userName: string; readonly identity: Identity; readonly until: number }
  >();
  const checking = new Map<
    string,
    { readonly userName: string; readonly crowd: Crowd; readonly answer: Promise<Identity | undefined> }
  >();

  return {
    async check(credentials, signal, verify) {
      const { userName, password } = credentials;
      const key = createHmac('sha256', secret)
        .update(JSON.stringify([userName, password]))
        .digest('base64');
      const known = right.get(key);
      if (known && now() < known.until) return known.identity;
      right.delete(key);

      const running = checking.get(key);
      if (running && !running.crowd.hasGone.aborted) {
        running.crowd.join(signal);
        return running.answer;
      }
      const crowd = createCrowd();
      crowd.join(signal);
      const check = { userName, crowd, answer: verify(crowd.hasGone) };
      checking.set(key, check);
      try {
        const identity = await check.answer;
        // Forgotten while it ran: then it is not remembered either.
        if (identity && checking.get(key) === check) {
          const [oldest] = right.keys();
          if (right.size >= max && oldest !== undefined) right.delete(oldest);
          right.set(key, { userName, identity, until: now() + keepMillis });
        }
        return identity;
      } finally {
        if (checking.get(key) === check) checking.delete(key);
      }
    },

    forget(userName) {
      for (const [key, entry] of right) if (entry.userName === userName) right.delete(key);
      for (const [key, entry] of checking) if (entry.userName === userName) checking.delete(key);
    },

    clear() {
      right.clear();
      checking.clear();
    },
  };
}

/** Those who wait for one thing. */
interface Crowd {
  /** Without a signal: somebody who stays. */
  join(signal: AbortSignal | undefined): void;
  /** Aborted when the last of them has gone. */
  readonly hasGone: AbortSignal;
}

function createCrowd(): Crowd {
  const gone = new AbortController();
  let size = 0;
  return {
    hasGone: gone.signal,
    join(signal) {
      if (signal?.aborted && size > 0) return;
      size++;
      const leave = () => {
        if (--size === 0) gone.abort();
      };
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave, { once: true });
    },
  };
}
