import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { testFolder } from './folder.js';
import { ownPort } from './ports.js';
import { start } from './processes.js';
import { certificate, key } from './tls-front.js';
import { untilTrue } from './waiting.js';

// A real nginx that ends TLS.

/** Of clients that ask by `askNginx`: another one of the loopback than nginx has, so that the two can be told apart. */
export const clientAddress = '127.0.0.77';
/** What such clients call the server. */
export const publicHost = 'console.example.org';

/** Runs nginx with the lines of docs/embedding.md in front of the server at that URL; resolves its port. */
export async function nginxBefore(
  t: Pick<Test, 'teardown' | 'testdir'>,
  page: string,
  backend: string,
): Promise<number> {
  const folder = testFolder(t);
  const port = await ownPort();
  writeFileSync(join(folder, 'console.pem'), certificate);
  writeFileSync(join(folder, 'console.key'), key);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const lines = page
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('http://127.0.0.1:9090', backend)
    .replaceAll('/etc/ssl/', `${folder}/`);
  // Its workers must get at the folder.
  const main = `user root; daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${places.join(' ')}\n${lines} }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const server = start('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { cwd: folder });
  t.teardown(() => server.stop('SIGTERM'));
  await untilTrue(async () => (await answers(port)) !== undefined, 50);
  return port;
}

async function answers(port: number): Promise<number | undefined> {
  return (await askNginx(port, 'GET', '/ws/v2/about').catch(() => undefined))?.status;
}

/** One request over TLS, with a body of JSON. */
export async function askNginx(port: number, method: string, path: string, headers: object = {}, body = '') {
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
