import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { owned, UnusableAnswer } from 'headgate/driver-kit';
import type { Entry, Filter } from 'ldapts';
import type { DirectoryServer } from './ldap-plan.js';

export type Ldapts = typeof import('ldapts');

/**
 * One connection to one server, for one at a time. It ends with its socket and is never made anew. Whatever it rejects with
 * but `UnusableAnswer`: the server can't be asked.
 */
export interface DirectoryConnection extends DirectorySearch {
  /** `false`: wrong name or password, or a closed account. Servers take an empty password for nobody's: never pass one. */
  bind(name: string, password: string): Promise<boolean>;
  /** Whether it can be used again. */
  readonly isAlive: boolean;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Asked as whoever the connection is bound for; it can't change that. */
export interface DirectorySearch {
  /** At most `max` entries; referrals are not followed. */
  search(base: string, query: Query): Promise<readonly Entry[]>;
  /** Of the server's own entry: where its data begin. */
  namingContext(): Promise<string | undefined>;
}

interface Query {
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

interface Reach {
  readonly server: DirectoryServer;
  readonly ca: string | undefined;
  readonly limits: ConnectionLimits;
}

/** A connection that nobody is bound on yet. Without StartTLS the server is connected to when it is asked first. */
export async function openConnection(
  ldapts: Ldapts,
  { server, ca, limits }: Reach,
  signal: AbortSignal,
): Promise<DirectoryConnection> {
  signal.throwIfAborted();
  const { host, port } = server;
  const tls = {
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  let socket: Socket | undefined;
  /** Left alone, the client replaces a lost socket without a word, and goes on as nobody and without StartTLS. */
  const once =
    <One extends Socket>(open: () => One) =>
    (): One => {
      if (socket) throw lost();
      const opened = open();
      // Not as an option of both: `tls.connect` has none in Node 20.
      opened.once('connect', () => opened.setKeepAlive(true, keepAliveMillis));
      socket = opened;
      return opened;
    };
  const client = new ldapts.Client({
    url: server.url,
    connectTimeout: limits.connectMillis,
    timeout: limits.answerMillis,
    createConnection: once(() => owned(connect({ host, port }))),
    ...(server.tls === 'first'
      ? { createSecureConnection: once(() => owned(connectSecurely({ ...tls, port }))) }
      : {}),
  });
  const connection = connectionOf(ldapts, client, () => socket);
  if (server.tls === 'asked') {
    const connecting = AbortSignal.any([signal, AbortSignal.timeout(limits.connectMillis)]);
    await orClosed(connection, untilAborted(client.startTLS(tls), connecting));
  }
  return connection;
}

const lost = () => new Error('The connection to the directory is lost');

/** So that a firewall does not forget a connection that waits, and a server that is gone is noticed. */
const keepAliveMillis = 20_000;

/** Closes the connection when what is done with it fails. */
export async function orClosed<Result>(
  connection: Pick<DirectoryConnection, 'close'>,
  done: Promise<Result>,
): Promise<Result> {
  try {
    return await done;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function connectionOf(
  ldapts: Ldapts,
  client: InstanceType<Ldapts['Client']>,
  socket: () => Socket | undefined,
): DirectoryConnection {
  /** After StartTLS the client does not see the end of the socket: it would wait for an answer, or to say goodbye. */
  const requireSocket = () => {
    if (socket()?.destroyed) throw lost();
  };
  const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);
  const search: DirectorySearch['search'] = async (base, { scope, filter, attributes, max }) => {
    requireSocket();
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
    get isAlive() {
      return socket()?.destroyed === false;
    },
    async close() {
      // Taking leave while it still connects, the client would leave whoever waits for that without an answer.
      if (!client.isConnected) socket()?.destroy(lost());
      else if (!socket()?.destroyed) await client.unbind().catch(() => undefined);
    },
    async bind(name, password) {
      // The client would take these names for mechanisms of SASL.
      if (password === '' || ldapts.SASL_MECHANISMS.some((mechanism) => mechanism === name)) return false;
      requireSocket();
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
export function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
