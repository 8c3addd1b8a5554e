import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { testFolder } from './folder.js';
import { ownPort } from './ports.js';
import { start } from './processes.js';
import { untilItAnswers, writeCertificate } from './tls-proxy.js';

/** Runs a real nginx with the lines of docs/embedding.md in front of the server at that URL; resolves its port. */
export async function nginxBefore(
  t: Pick<Test, 'teardown' | 'testdir'>,
  page: string,
  backend: string,
): Promise<number> {
  const folder = testFolder(t);
  const port = await ownPort();
  writeCertificate(folder);
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
  await untilItAnswers(port);
  return port;
}
