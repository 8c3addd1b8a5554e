import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { certificate, key } from './tls-front.js';
import { untilTrue } from './waiting.js';

// What ends TLS in front of a server, and its clients.

/** Of clients that ask by `askProxy`: another address of the loopback than the proxy has, so that the two can be told apart. */
export const clientAddress = '127.0.0.77';
/** What such clients call the server. */
export const publicHost = 'console.example.org';

/** The files of a certificate, as the pages name them. */
export function writeCertificate(folder: string): void {
  writeFileSync(join(folder, 'console.pem'), certificate);
  writeFileSync(join(folder, 'console.key'), key);
}

/** Resolves when the server behind the proxy at this port can be asked. */
export async function untilItAnswers(port: number): Promise<void> {
  const ask = () => askProxy(port, 'GET', '/ws/v2/about').catch(() => undefined);
  await untilTrue(async () => (await ask()) !== undefined, 50);
}

/** One request over TLS, with a body of JSON. */
export async function askProxy(port: number, method: string, path: string, headers: object = {}, body = '') {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    localAddress: clientAddress,
    rejectUnauthorized: false,
    headers: {
      host: publicHost,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  });
  const [answer] = await once(asked.end(body), 'response');
  const cookies: string[] = answer.headers['set-cookie'] ?? [];
  return { status: Number(answer.statusCode), cookies, text: await text(answer) };
}
