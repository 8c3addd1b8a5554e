import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';

export interface HttpGetOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** From the start to the last byte of the body. */
  readonly timeoutMillis: number;
  readonly maxBodyBytes: number;
  /** Gives up when aborted. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One GET over a connection of its own, so that none is left open. Redirects are answers like any other. */
export async function httpGet(url: string, options: HttpGetOptions): Promise<HttpAnswer> {
  const { headers, timeoutMillis, maxBodyBytes } = options;
  const timeout = AbortSignal.timeout(timeoutMillis);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const get = new URL(url).protocol === 'https:' ? requestTls : requestPlain;
      const request = get(url, { headers: { ...headers, connection: 'close' }, agent: false, signal });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
          if (length <= maxBodyBytes) return;
          // The end may have arrived with it: what is said first counts.
          reject(new Error(`the body is larger than ${maxBodyBytes} bytes`));
          request.destroy();
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
  } catch (error) {
    if (timeout.aborted && !options.signal.aborted) {
      throw new Error(`no complete answer within ${timeoutMillis} ms`, { cause: error });
    }
    throw error;
  }
}
