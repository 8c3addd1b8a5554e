import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { publicHost, writeCertificate } from '../../helpers/tls-proxy.js';
import { holdsBehind } from './behind.js';

// The lines for Caddy of docs/deployment.md, at a real one. It would get itself a certificate; here it has one.

t.test('Caddy as the page sets it', async (t) =>
  holdsBehind(t, async (backend) => {
    const folder = testFolder(t);
    const port = await ownPort();
    const page = snippetsOf(join(root, 'docs/deployment.md')).find(
      ({ attributes }) => attributes['file'] === 'Caddyfile',
    );
    writeCertificate(folder);
    // The test asks by the address, so that it needs no name server.
    const own = `:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/console.pem ${folder}/console.key\n`;
    const lines = (page?.text ?? '')
      .replace(`${publicHost} {\n`, own)
      .replace('127.0.0.1:9090', backend.replace('http://', ''));
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}\n}\n${lines}`);
    const server = start('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
      cwd: folder,
      env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    });
    t.teardown(() => server.stop('SIGTERM'));
    return port;
  }),
);
