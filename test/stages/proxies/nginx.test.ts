import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { holdsBehind, writeCertificate } from './behind.js';

// The lines for nginx of docs/embedding.md, at a real one that ends TLS.

t.test('nginx as the page sets it', async (t) =>
  holdsBehind(t, async (backend) => {
    const folder = testFolder(t);
    const port = await ownPort();
    const page = snippetsOf(join(root, 'docs/embedding.md')).find(({ attributes }) => 'conf' in attributes);
    writeCertificate(folder);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const lines = (page?.text ?? '')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace('http://127.0.0.1:9090', backend)
      .replaceAll('/etc/ssl/', `${folder}/`);
    // Its workers must get at the folder.
    const main = `user root; daemon off; pid ${folder}/pid; error_log stderr; events {}
http { access_log off; ${places.join(' ')}\n${lines} }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    const server = start('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      cwd: folder,
    });
    t.teardown(() => server.stop('SIGTERM'));
    return port;
  }),
);
