import { request as plain, type RequestOptions } from 'node:http';
import { request as secure } from 'node:https';
import { owned } from '../../runtime/owned.js';

const sendMillis = 15_000;

/** Rejects unless the destination takes it with a status of 200 to 299. Redirects are not followed. */
export function sendReport(url: URL, report: object, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify(report);
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      method: 'POST',
      // A connection that is closed with its answer: nothing is left open for the next day.
      agent: false,
      signal,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    };
    const call = owned(url.protocol === 'https:' ? secure(url, options) : plain(url, options));
    call.once('response', ({ statusCode = 0 }) => {
      // What it says is of no interest, however long it is.
      call.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`the destination answered ${statusCode}`));
    });
    const late = setTimeout(() => call.destroy(new Error(`no answer within ${sendMillis} ms`)), sendMillis);
    call.on('error', reject);
    call.on('close', () => clearTimeout(late));
    call.end(body);
  });
}
