// What all of these hosts share: the gateway, two people, and a server that says where it is and stops when told.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localCluster } from '@headgate/engine';
import { createGateway } from 'headgate';
import { firstOf } from 'headgate/auth/first-of';
import { apiTokens } from 'headgate/auth/tokens';
import { attachWebSocket } from 'headgate/http';
import { memoryStorage } from 'headgate/storage/memory';

// The host's own users. Which roles somebody has at the gateway is the host's decision, too.
const people = new Map([
  ['ada', { name: 'ada', password: 'analytical', roles: ['admin'] }],
  ['bob', { name: 'bob', password: 'builder', roles: ['developer'] }],
]);

export const personOf = (name) => people.get(name);

export function login({ name, password } = {}) {
  const person = people.get(name);
  return person?.password === password ? person : undefined;
}

/** What the gateway wants to know of a person. */
export const identityOf = (person) => person && { userName: person.name, roles: person.roles };

export async function gatewayFor(authenticator) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-host-'));
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: localCluster({ directory }),
    // Scripts of these people use tokens; the host is asked who they are now.
    auth: firstOf(authenticator, apiTokens({ identityOf: (name) => identityOf(personOf(name)) })),
  });
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function serve(
  server,
  gateway,
  { port = Number(process.env.PORT ?? 3000), protocol = 'http' } = {},
) {
  const detach = attachWebSocket(server, gateway);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.log(`listening on ${protocol}://127.0.0.1:${server.address().port}`);
  process.once('SIGTERM', async () => {
    detach();
    server.close();
    server.closeAllConnections();
    await gateway.close();
  });
}
