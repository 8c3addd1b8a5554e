import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { CallerRequest, Identity } from '../interfaces/auth.js';
import type { Clock } from '../interfaces/clock.js';
import type { LaunchCredentials } from '../interfaces/cluster.js';
import type { Credentials } from '../interfaces/login-scheme.js';
import type { DocumentStore } from '../interfaces/storage.js';
import { collection } from '../storage/collection.js';
import type { Principal } from './principal.js';

/** What an application proves by that it is itself, when its engine connects to the hub. */
export interface ApplicationCredentials extends LaunchCredentials {
  /**
   * The value of `Set-Cookie` for a login, `secure` where sessions' cookies are; `undefined` when these are no
   * credentials of an application that runs.
   */
  login(credentials: Credentials, secure: boolean): Promise<string | undefined>;
  /** By the cookie of a login; only the hub asks, so it opens nothing else. */
  authenticate(request: CallerRequest): Promise<Identity | undefined>;
  applicationOf(identity: Identity): string | undefined;
  /** May nothing but what its application may write and read on the hub. */
  principalOf(identity: Identity): Principal;
}

const Kept = z.object({ hash: z.string(), appId: z.string(), issuedAt: z.number() });

const cookieName = 'headgate_application';
const cookiePattern = new RegExp(`(?:^|; ?)${cookieName}=([\\w-]{1,400})(?:;|$)`);
/** No account has such a name: accounts hold no colon. */
const prefix = 'application:';
/** The oldest are dropped beyond, a part at a time. */
const maxKept = 20_000;
const sweepEvery = 1000;

export function createApplicationCredentials(deps: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  /** `false` when the application is known to have ended, or not known. */
  readonly isAlive: (appId: string) => Promise<boolean>;
}): ApplicationCredentials {
  const kept = collection(deps.documents, 'application-credentials', Kept);
  /** Identities that were proved, and of which application. */
  const proved = new WeakMap<Identity, string>();
  let issued = 0;

  async function sweep(): Promise<void> {
    const all = [...(await kept.list())].sort((one, other) => one.value.issuedAt - other.value.issuedAt);
    for (const { key } of all.slice(0, Math.max(0, all.length - maxKept))) await kept.remove(key);
  }

  /** The application; `undefined` for anything but the credentials of one that runs. */
  async function verified({ userName, password }: Credentials): Promise<string | undefined> {
    if (!userName.startsWith(prefix)) return undefined;
    const known = (await kept.get(userName))?.value;
    const isRight = timingSafeEqual(Buffer.from(known?.hash ?? hashOf(''), 'hex'), digest(password));
    if (!known || !isRight || known.appId === '') return undefined;
    return (await deps.isAlive(known.appId)) ? known.appId : undefined;
  }

  return {
    async issue() {
      if (issued++ % sweepEvery === 0) await sweep();
      const userName = prefix + randomBytes(12).toString('base64url');
      const password = randomBytes(24).toString('base64url');
      await kept.put(userName, { hash: hashOf(password), appId: '', issuedAt: deps.clock.now() });
      return { userName, password };
    },
    async bind(userName, appId) {
      const known = await kept.get(userName);
      if (known) await kept.put(userName, { ...known.value, appId });
    },
    async discard(userName) {
      await kept.remove(userName);
    },
    async login(credentials, secure) {
      if ((await verified(credentials)) === undefined) return undefined;
      const value = Buffer.from(`${credentials.userName} ${credentials.password}`).toString('base64url');
      return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
    },
    async authenticate({ headers }) {
      const value = cookiePattern.exec(headers.cookie ?? '')?.[1];
      if (value === undefined) return undefined;
      const [userName = '', password = ''] = Buffer.from(value, 'base64url').toString().split(' ');
      const appId = await verified({ userName, password });
      if (appId === undefined) return undefined;
      const identity: Identity = { userName, roles: [], scheme: 'application' };
      proved.set(identity, appId);
      return identity;
    },
    applicationOf: (identity) => proved.get(identity),
    principalOf: (identity) => ({
      userName: identity.userName,
      roles: [],
      permissions: new Set(),
      isAdmin: false,
      identity,
    }),
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const hashOf = (text: string): string => digest(text).toString('hex');
