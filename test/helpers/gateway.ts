import { createServer, type Server } from 'node:http';
import { jarReader } from '@headgate/jars';
import { httpHandler } from '../../adapters/host/http.js';
import { attachWebSocket } from '../../adapters/host/ws.js';
import { memoryStorage } from '../../adapters/storage/memory.js';
import { checkReplies } from '../../lib/client/replies.js';
import { type Client, createClient } from '../../lib/client.js';
import { createGateway, type Gateway, type GatewayOptions, type Logger } from '../../lib/index.js';
import { undeclaredAnswers } from './declared.js';
import { emptyCluster } from './empty-cluster.js';
import { listening } from './listening.js';

export interface LogLine {
  readonly level: keyof Logger;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface TestGateway {
  readonly gateway: Gateway;
  /** The host's. */
  readonly server: Server;
  readonly baseUrl: string;
  /** Holds every answer against its schema. */
  readonly client: Client;
  /** Another client: another session. */
  newClient(options?: { token?: string; headers?: Record<string, string> }): Client;
  /** What was logged, unless `options.logger` took it. */
  readonly logs: readonly LogLine[];
}

/**
 * A living gateway on a port of the loopback, in a host of plain Node; closed when the test ends. By default it keeps
 * things in memory, reads jars, runs nothing and lets everybody in. At the end each of its answers must have been one that the
 * OpenAPI document names.
 */
export async function newGateway(
  t: { teardown(close: () => Promise<void>): unknown },
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const logs: LogLine[] = [];
  const gateway = await createGateway({
    storage: memoryStorage(),
    cluster: emptyCluster(),
    auth: 'none',
    logger: loggerInto(logs),
    development: true,
    ...options,
    packages: { jars: jarReader(), ...options.packages },
  });
  const handle = httpHandler(gateway);
  const server = createServer(async (req, res) => {
    if (!(await handle(req, res))) res.writeHead(404).end('not the gateway');
  });
  const undeclared = undeclaredAnswers(server);
  const detach = attachWebSocket(server, gateway);
  const { baseUrl, close } = await listening(server);
  const clients: Client[] = [];
  const newClient: TestGateway['newClient'] = (more = {}) => {
    const client = createClient({ baseUrl, checkReplies, ...more });
    clients.push(client);
    return client;
  };
  t.teardown(async () => {
    for (const client of clients) client.close();
    detach();
    await gateway.close();
    await close();
    const odd = undeclared();
    if (odd.length > 0)
      throw new Error(`The OpenAPI document does not name these answers: ${odd.join(', ')}`);
  });
  return { gateway, server, baseUrl, client: newClient(), newClient, logs };
}

export const loggerInto = (logs: LogLine[]): Logger => {
  const log = (level: keyof Logger) => (fields: object, message: string) => {
    logs.push({ level, fields: { ...fields }, message });
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
};
