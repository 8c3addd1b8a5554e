import { createCookies } from './client/cookies.js';
import { ClientError } from './client/error.js';
import { type Live, liveTopics } from './client/live.js';
import type { LiveOptions } from './client/live-connection.js';
import { operations } from './client/operations.js';
import { callOperation, type Fetch, type ReplyCheck, responseTo, urlFor } from './client/rest.js';
import type { AnswerTexts, OperationUrls, RestClient } from './client/types.js';

export { type ClientCode, ClientError } from './client/error.js';
export type { Live } from './client/live.js';
export type { LiveOptions } from './client/live-connection.js';
export type { ReplyCheck } from './client/rest.js';
export type {
  AnswerTexts,
  ClientCallOptions as CallOptions,
  OperationUrls,
  RestClient,
  TopicData,
  Upload,
} from './client/types.js';

export interface ClientOptions {
  /** Where the gateway is, with the host's prefix: `https://example.org/console`. Default in a page: its own origin. */
  readonly baseUrl?: string;
  /** Sent with every call; a function is asked each time. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** An API token, sent as `Authorization: Bearer`. Browsers can't send it on a WebSocket: there a session is needed. */
  readonly token?: string;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  /**
   * For tests: looks at every JSON answer, and the call rejects with `UNEXPECTED_REPLY` where something is wrong.
   * `checkReplies` of `headgate/client/replies` holds it against its schema. Default: none.
   */
  readonly checkReplies?: ReplyCheck;
  readonly live?: LiveOptions;
}

/**
 * Every operation of the gateway as a typed function, by its id, and its live topics.
 *
 * ```js
 * import { createClient } from 'headgate/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:9090' });
 * console.log(await client.getHealth());
 * const stop = client.subscribe('cluster.metrics', (metrics) => console.log(metrics));
 * // later
 * stop();
 * client.close();
 * ```
 *
 * Calls reject with `ClientError`, or with the signal's reason when it was aborted. Outside of a browser the client keeps
 * the session's cookie, so after a login it is logged in. It needs nothing of Node and can be bundled for a page.
 */
export type Client = RestClient & AnswerTexts & OperationUrls & Live;

export function createClient(options: ClientOptions = {}): Client {
  const baseUrl = (options.baseUrl ?? '').replace(/\/+$/, '');
  const cookies = createCookies();
  const headers = () => ({
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(typeof options.headers === 'function' ? options.headers() : options.headers),
  });
  const rest = {
    baseUrl,
    headers,
    cookies,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    checkReplies: options.checkReplies,
  };
  const calls = Object.entries(operations).map(([id, operation]) => [
    id,
    (call = {}) => callOperation(rest, id, operation, call),
  ]);
  const operationOf = (id: string) => {
    const operation = operations[id];
    if (!operation) throw new ClientError(0, 'INVALID_CALL', `There is no operation ${id}`);
    return operation;
  };
  const responseOf = async (id: string, call = {}) => responseTo(rest, operationOf(id), call);
  const textOf = async (id: string, call = {}) => (await responseOf(id, call)).text();
  const urlOf = (id: string, call = {}) => urlFor(rest, operationOf(id), call);
  return Object.assign(
    Object.fromEntries(calls),
    { textOf, responseOf, urlOf },
    liveTopics({ baseUrl, headers, cookies, ...options.live }),
  );
}
