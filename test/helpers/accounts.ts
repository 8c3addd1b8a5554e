import { fromHost } from '../../adapters/auth/from-host.js';
import { passwordSessions } from '../../adapters/auth/password.js';
import type { Client } from '../../lib/client.js';
import type { CallerRequest, GatewayOptions } from '../../lib/index.js';
import { newGateway, type TestGateway } from './gateway.js';
import { makeHashesCheap } from './hashes.js';

interface Teardown {
  teardown(close: () => Promise<void>): unknown;
}

export interface AccountsGateway extends TestGateway {
  readonly admin: Client;
  /** A client of somebody who has an account, or has none. */
  as(userName: string): Client;
  /** A new user's client. */
  user(userName: string, ...roles: string[]): Promise<Client>;
}

/** Whoever a header says; only `root` brings roles along. No password is checked, so tests lose no time on that. */
const named = ({ headers }: CallerRequest) => {
  const userName = headers['x-user'];
  if (typeof userName !== 'string') return undefined;
  return { userName, ...(userName === 'root' ? { roles: ['admin'] } : {}) };
};

/** A living gateway whose host knows who is calling, with the administrator `admin`. */
export async function gatewayWithAccounts(
  t: Teardown,
  options: Partial<GatewayOptions> = {},
): Promise<AccountsGateway> {
  makeHashesCheap();
  const living = await newGateway(t, { auth: fromHost((_, request) => named(request)), ...options });
  const as = (userName: string) => living.newClient({ headers: { 'x-user': userName } });
  const user = async (userName: string, ...roles: string[]) => {
    await as('root').createUser({ params: { user: userName }, body: { roles } });
    return as(userName);
  };
  return { ...living, as, user, admin: await user('admin', 'admin') };
}

export const adminPassword = 'the gate is open';

/** Of users that tests make; as long as passwords have to be, and not the name. */
export const passwordOf = (userName: string): string => `the word of ${userName}`;

export interface PasswordGateway extends TestGateway {
  readonly admin: Client;
  /** A client with a session of its own. */
  login(userName: string, password?: string): Promise<Client>;
  /** A new user, logged in; the password is `passwordOf` the name. */
  user(userName: string, ...roles: string[]): Promise<Client>;
}

/** A living gateway with passwords and sessions, its administrator logged in. */
export async function gatewayWithPasswords(
  t: Teardown,
  options: Partial<GatewayOptions> = {},
): Promise<PasswordGateway> {
  makeHashesCheap();
  const living = await newGateway(t, {
    auth: passwordSessions(),
    initialAdmin: { password: adminPassword },
    ...options,
  });
  const login = async (userName: string, password = passwordOf(userName)) => {
    const client = living.newClient();
    await client.login({ body: { userName, password } });
    return client;
  };
  const admin = await login('admin', adminPassword);
  return {
    ...living,
    admin,
    login,
    async user(userName, ...roles) {
      await admin.createUser({ params: { user: userName }, body: { password: passwordOf(userName), roles } });
      return login(userName);
    },
  };
}

/** The settled calls' statuses: 200, or the error's. */
export async function statuses(calls: readonly Promise<unknown>[]): Promise<number[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((result) => (result.status === 'fulfilled' ? 200 : Number(result.reason.status)));
}

/** That a call is refused, and how. */
export async function refuses(
  t: { match(found: unknown, wanted: object, message: string): unknown },
  call: Promise<unknown>,
  wanted: object,
  message = 'is refused as expected',
): Promise<void> {
  const error = await call.then(
    (answer) => ({ answer, problem: 'it was not refused' }),
    (thrown: unknown) => thrown,
  );
  t.match(error, wanted, message);
}
