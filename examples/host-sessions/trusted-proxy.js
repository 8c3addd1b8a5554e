// Behind a proxy that does the login and says in a header who is calling. It proves itself by a secret that both know, or
// by a certificate: then give `TLS_CERT`, `TLS_KEY` and the fingerprint of the proxy's certificate.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { trustedProxy } from 'headgate/auth/trusted-proxy';
import { httpHandler } from 'headgate/http';
import { gatewayFor, serve } from './host.js';

const { PROXY_SECRET, PROXY_FINGERPRINT, TLS_CERT, TLS_KEY } = process.env;
const proof = PROXY_FINGERPRINT ? { certificates: [PROXY_FINGERPRINT] } : { secret: PROXY_SECRET ?? '' };

const gateway = await gatewayFor(trustedProxy({ proof, rolesHeader: 'x-forwarded-roles' }));
const handle = httpHandler(gateway);
const listener = (request, response) => handle(request, response, () => response.writeHead(404).end());

if (PROXY_FINGERPRINT) {
  const tls = { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) };
  // The proxy's certificate need not be signed by an authority: its fingerprint is known.
  const server = createSecureServer({ ...tls, requestCert: true, rejectUnauthorized: false }, listener);
  await serve(server, gateway, { protocol: 'https' });
} else {
  await serve(createServer(listener), gateway);
}
