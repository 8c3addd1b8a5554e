import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { localCluster } from '@headgate/engine';
import { createGateway } from 'headgate';
import { firstOf } from 'headgate/auth/first-of';
import { apiTokens } from 'headgate/auth/tokens';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { memoryStorage } from 'headgate/storage/memory';
import { importSPKI } from 'jose';
import { clientCertificate } from './client-certificate.js';
import { audience, issuer, rolesOf, rolesOfGroups } from './people.js';
import { signedHeader } from './signed-header.js';

const read = (name) => readFile(new URL(`./keys/${name}`, import.meta.url), 'utf8');
const key = await importSPKI(await read('proxy.pem'), 'EdDSA');

const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: localCluster({ directory: process.env.ENGINE ?? 'engine' }),
  // The first one that knows the caller decides. Tokens are for scripts of people with a certificate: what the groups of
  // others are, only their proxy knows.
  auth: firstOf(
    clientCertificate({ rolesOf }),
    signedHeader({ key, issuer, audience, rolesOfGroups }),
    apiTokens({ identityOf: (userName) => rolesOf(userName) && { userName, roles: rolesOf(userName) } }),
  ),
});

const handle = httpHandler(gateway);
const server = createServer(
  {
    cert: await read('server.pem'),
    key: await read('server.key'),
    ca: await read('authority.pem'),
    requestCert: true,
    rejectUnauthorized: false, // who shows none may still come by the proxy, or with a token
  },
  (request, response) => handle(request, response, () => response.writeHead(404).end()),
);
const detach = attachWebSocket(server, gateway);
server.listen(Number(process.env.PORT ?? 3443), '127.0.0.1', () =>
  console.log(`listening on https://127.0.0.1:${server.address().port}`),
);
process.once('SIGTERM', async () => {
  detach();
  server.close();
  server.closeAllConnections();
  await gateway.close();
});
