import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type CallerRequest,
  type Clock,
  type Identity,
  type OpenedSession,
  type OptionChecks,
  option,
  type Sessions,
} from '../../lib/driver-kit.js';
import { type CookieOptions, cookieOptions, createCookie } from './cookie.js';
import { createSessionStore, type Session } from './session-store.js';

export interface SessionOptions {
  readonly cookie?: CookieOptions;
  /** A session ends after so many milliseconds without a request. Default: 30 minutes. */
  readonly idleMillis?: number;
  /** A session ends so many milliseconds after login, used or not. Default: 12 hours. */
  readonly absoluteMillis?: number;
  /** Sessions of one user; one more ends the one that was unused for longest. Default: 50. */
  readonly maxPerUser?: number;
  /** Sessions in all; one more login is answered with 503. Default: 20,000. */
  readonly max?: number;
}

/** Sessions in a cookie, kept in this process: everybody logs in again after a restart. */
interface CookieSessions
  extends Omit<Sessions, 'verify' | 'list' | 'endOne'>,
    Required<Pick<Sessions, 'list' | 'endOne'>> {
  /** Counts as use. */
  find(request: CallerRequest): Identity | undefined;
  endAllOf(userName: string, exceptSessionId?: string): void;
  /** Ends them all, and the looks for those that ran out. */
  close(): void;
}

/** Sessions that ran out are noticed at their next request, or by a look at all of them this often. */
const maxSweepMillis = 30_000;

export const sessionOptions: OptionChecks<SessionOptions> = {
  cookie: option.group(cookieOptions),
  idleMillis: option.atLeast(1),
  absoluteMillis: option.atLeast(1),
  maxPerUser: option.atLeast(1),
  max: option.atLeast(1),
};

export function sessionLimits(options: SessionOptions) {
  return {
    idleMillis: options.idleMillis ?? 30 * 60_000,
    absoluteMillis: options.absoluteMillis ?? 12 * 60 * 60_000,
    maxPerUser: options.maxPerUser ?? 50,
    max: options.max ?? 20_000,
  };
}

/** Looks for sessions that ran out until it is closed. Throws `TypeError` for options that no browser accepts. */
export function createCookieSessions(
  options: SessionOptions & { readonly signatureSecret?: Buffer },
  clock: Clock,
  onEnd: (sessionId: string) => void,
): Omit<CookieSessions, 'onEnd'> {
  const limits = sessionLimits(options);
  const cookie = createCookie(options.cookie);
  const store = createSessionStore({
    limits,
    now: clock.monotonic,
    wallClock: clock.now,
    onEnd,
  });
  const every = Math.min(maxSweepMillis, limits.idleMillis, limits.absoluteMillis);
  const sweeper = setInterval(store.sweep, every).unref();

  const signed = (secret: string): string => {
    if (!options.signatureSecret) return secret;
    return `${secret}.${createHmac('sha256', options.signatureSecret).update(secret).digest('base64url')}`;
  };
  /** The secret of a cookie that is as we wrote it. */
  const unsigned = (value: string): string | undefined => {
    if (!options.signatureSecret) return value;
    const [secret = ''] = value.split('.', 1);
    const [given, ours] = [Buffer.from(value), Buffer.from(signed(secret))];
    return given.length === ours.length && timingSafeEqual(given, ours) ? secret : undefined;
  };
  const sessionOf = (value: string): Session | undefined => {
    const secret = unsigned(value);
    return secret === undefined ? undefined : store.find(secret);
  };
  const sessionsOf = ({ headers }: CallerRequest): Session[] =>
    cookie.valuesOf(headers).flatMap((value) => sessionOf(value) ?? []);

  const isOverTls = ({ isSecure = false }: CallerRequest) => isSecure;

  return {
    find({ headers }) {
      for (const value of cookie.valuesOf(headers)) {
        const session = sessionOf(value);
        if (session) return session.identity;
      }
      return undefined;
    },
    open(identity, request): OpenedSession {
      const { session, secret } = store.open(identity, originOf(request));
      // A cookie that was there before login says nothing about who logs in now.
      for (const before of sessionsOf(request)) store.end(before.id);
      return { identity: session.identity, setCookie: cookie.set(signed(secret), isOverTls(request)) };
    },
    end(request) {
      for (const session of sessionsOf(request)) store.end(session.id);
      return { setCookie: cookie.clear(isOverTls(request)) };
    },
    touch: store.touch,
    list: store.list,
    endOne: store.end,
    endAllOf: store.endAllOf,
    close() {
      clearInterval(sweeper);
      store.clear();
    },
  };
}

const maxUserAgent = 256;

const originOf = ({ remoteAddress, headers }: CallerRequest) => {
  const userAgent = headers['user-agent']?.slice(0, maxUserAgent);
  return { remoteAddress, ...(userAgent === undefined ? {} : { userAgent }) };
};
