import { createServer } from 'node:http';
import { httpHandler } from '../../../adapters/host/http.js';
import { attachWebSocket } from '../../../adapters/host/ws.js';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { checkReplies } from '../../../lib/client/replies.js';
import { type Client, createClient } from '../../../lib/client.js';
import { createGateway, type Storage } from '../../../lib/index.js';
import { jarReader } from '../../../packages/jars/index.js';
import { yarnCluster } from '../../../packages/yarn/index.js';
import { listening } from '../../helpers/listening.js';
import { as, people } from '../../helpers/people.js';
import type { Artifacts } from './artifacts.js';
import type { YarnCluster } from './cluster.js';

export interface YarnGateway {
  /** Holds every answer against its schema. Of an administrator; waiting times are those that every host has. */
  readonly client: Client;
  /** Somebody with no role but this. */
  clientOf(userName: string, role?: string): Client;
  /** `host:port`, as the engine is told. */
  readonly address: string;
  close(): Promise<void>;
}

export interface YarnGatewayOptions {
  readonly storage?: Storage;
  readonly port?: number;
  /** Reads logs that node managers have handed in; the cluster must let them. Default: no. */
  readonly aggregatedLogs?: boolean;
  /** As in the driver. */
  readonly discovery?: 'jars' | 'cli';
}

/** A gateway over the real cluster, on a port that the engine is told of. */
export async function yarnGateway(
  cluster: YarnCluster,
  { javaHome }: Artifacts,
  { storage = memoryStorage(), port, aggregatedLogs = false, discovery = 'jars' }: YarnGatewayOptions = {},
): Promise<YarnGateway> {
  let handle: ReturnType<typeof httpHandler> | undefined;
  const server = createServer(async (req, res) => {
    if (!(await handle?.(req, res))) res.writeHead(404).end();
  });
  const { baseUrl, close } = await listening(server, port);
  const address = new URL(baseUrl).host;
  const gateway = await createGateway({
    storage,
    auth: people,
    packages: { jars: jarReader() },
    // Operators of the engine's library never log in.
    pubsub: { trustedPublishers: [{ addresses: ['127.0.0.1'], topics: ['test.'] }] },
    cluster: yarnCluster({
      resourceManager: cluster.resourceManager,
      files: cluster.nameNode,
      user: 'root',
      gatewayAddress: address,
      cli: { command: cluster.apex, environment: { JAVA_HOME: javaHome } },
      discovery,
      ...(aggregatedLogs ? { aggregatedLogs: { command: cluster.yarn } } : {}),
    }),
  });
  handle = httpHandler(gateway);
  const detach = attachWebSocket(server, gateway);
  const clients = new Set<Client>();
  const clientOf = (...who: Parameters<typeof as>) => {
    const client = createClient({ baseUrl, checkReplies, ...as(...who) });
    clients.add(client);
    return client;
  };
  return {
    client: clientOf('root', 'admin'),
    clientOf,
    address,
    async close() {
      for (const client of clients) client.close();
      detach();
      await close();
      await gateway.close();
    },
  };
}
