import { isIP } from 'node:net';
import type { Entry, Filter } from 'ldapts';
import { UnusableAnswer } from '../../lib/index.js';
import type { DirectoryServer } from './ldap-plan.js';

export type Ldapts = typeof import('ldapts');

/** One connection to one server, for one login. Whatever it rejects with but `UnusableAnswer`: the server can't be asked. */
export interface DirectoryConnection {
  /** `false`: wrong name or password, or a closed account. Servers take an empty password for nobody's: never pass one. */
  bind(name: string, password: string): Promise<boolean>;
  /** At most `max` entries; referrals are not followed. */
  search(base: string, query: Query): Promise<readonly Entry[]>;
  /** Of the server's own entry: where its data begin. */
  namingContext(): Promise<string | undefined>;
}

export interface Query {
  readonly scope: 'base' | 'sub';
  readonly filter: string | Filter;
  readonly attributes: readonly string[];
  readonly max: number;
}

export interface ConnectionLimits {
  /** Milliseconds to connect, TLS included. */
  readonly connectMillis: number;
  /** Milliseconds for each answer. */
  readonly answerMillis: number;
}

/** Answers to a bind that say that this person does not come in: result codes of RFC 4511, appendix A. */
const refusals = new Set([
  // A policy keeps the account out.
  19,
  // There is no such entry, or the typed name made none.
  32, 34,
  // The entry has no password, the password is wrong, the account may not log in, or does not without a password.
  48,
  49, 50, 53,
]);
/** Strong authentication or confidentiality required. */
const needsTls = new Set([8, 13]);
/** This server is busy, unavailable, or not in service: another one may answer. */
const passing = new Set([51, 52, 80]);

/** Connects, does the work, and disconnects, also when the signal is aborted. */
export async function withConnection<Result>(
  ldapts: Ldapts,
  options: {
    server: DirectoryServer;
    ca: string | undefined;
    limits: ConnectionLimits;
    signal: AbortSignal;
  },
  work: (connection: DirectoryConnection) => Promise<Result>,
): Promise<Result> {
  const { server, ca, limits, signal } = options;
  signal.throwIfAborted();
  const tls = {
    host: server.host,
    ...(isIP(server.host) === 0 ? { servername: server.host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  const client = new ldapts.Client({
    url: server.url,
    connectTimeout: limits.connectMillis,
    timeout: limits.answerMillis,
    ...(server.tls === 'first' ? { tlsOptions: tls } : {}),
  });
  const connecting = AbortSignal.any([signal, AbortSignal.timeout(limits.connectMillis)]);
  try {
    if (server.tls === 'asked') await untilAborted(client.startTLS(tls), connecting);
    return await untilAborted(work(connectionOf(ldapts, client)), signal);
  } finally {
    await client.unbind().catch(() => undefined);
  }
}

function connectionOf(ldapts: Ldapts, client: InstanceType<Ldapts['Client']>): DirectoryConnection {
  const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);
  const search: DirectoryConnection['search'] = async (base, { scope, filter, attributes, max }) => {
    try {
      const { searchEntries } = await client.search(base, {
        scope,
        filter,
        attributes: [...attributes],
        sizeLimit: max,
        derefAliases: 'never',
        explicitBufferAttributes: ['objectSid'],
      });
      return searchEntries.slice(0, max);
    } catch (error) {
      const code = codeOf(error);
      if (typeof code !== 'number' || passing.has(code)) throw error;
      throw new UnusableAnswer('The directory', 'refused the search', { cause: error });
    }
  };
  return {
    async bind(name, password) {
      // The client would take these names for mechanisms of SASL.
      if (password === '' || ldapts.SASL_MECHANISMS.some((mechanism) => mechanism === name)) return false;
      try {
        await client.bind(name, password);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (typeof code !== 'number' || passing.has(code)) throw error;
        if (refusals.has(code)) return false;
        const why = needsTls.has(code)
          ? 'takes passwords over TLS only: use ldaps: or startTls'
          : 'refused to check the password';
        throw new UnusableAnswer('The directory', why, { cause: error });
      }
    },
    search,
    async namingContext() {
      const names = ['defaultNamingContext', 'namingContexts'];
      const [root] = await search('', {
        scope: 'base',
        filter: '(objectClass=*)',
        attributes: names,
        max: 1,
      });
      if (!root) return undefined;
      const [first] = names.flatMap((name) => textsOf(root, name));
      return first;
    },
  };
}

/** What cannot be read as text counts as absent. Servers may write the name of an attribute in another case. */
export function textsOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const found = Object.entries(entry).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const values = Array.isArray(found) ? found : [found];
  return values.flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []));
}

/** The promise goes on alone, and nobody hears of its end. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
