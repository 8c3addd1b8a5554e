import { lookup } from 'node:dns';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { OperatorAccess } from './operator.js';
import { refusedAddress } from './refused-address.js';

interface HttpGetOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** From the start to the last byte of the body. */
  readonly timeoutMillis: number;
  readonly maxBodyBytes: number;
  readonly access: OperatorAccess;
  /** Gives up when aborted. */
  readonly signal: AbortSignal;
}

interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One GET over a connection of its own, so that none is left open. Redirects are answers like any other. */
export function httpGet(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  const { headers, timeoutMillis, maxBodyBytes, access, signal } = options;
  const get = new URL(url).protocol === 'https:' ? requestTls : requestPlain;
  return new Promise<HttpAnswer>((resolve, reject) => {
    access.checkUrl(url);
    const request = get(url, {
      headers: { ...headers, connection: 'close' },
      agent: false,
      lookup: allowedOnly(access),
      signal,
    });
    // What is said first counts: the end of an answer may come together with what is wrong with it.
    const giveUp = (problem: string) => {
      reject(new Error(problem));
      request.destroy();
    };
    const deadline = setTimeout(() => giveUp(`no complete answer within ${timeoutMillis} ms`), timeoutMillis);
    request.on('close', () => clearTimeout(deadline));
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length > maxBodyBytes) giveUp(`the body is larger than ${maxBodyBytes} bytes`);
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.end();
  });
}

/** Resolves a name to those of its addresses that may be connected to: nothing can change between that and the connection. */
const allowedOnly =
  (access: OperatorAccess): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => access.mayConnect(address));
      const [first] = allowed;
      if (error) done(error, []);
      else if (!first)
        done(
          new Error(refusedAddress(`${hostname} (${found.map(({ address }) => address).join(', ')})`)),
          [],
        );
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
