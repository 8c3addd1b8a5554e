import { createServer } from 'node:http';
import { attachWebSocket, httpHandler } from '../../adapters/host/http.js';
import { smtpMailer } from '../../adapters/mail/smtp.js';
import { createGateway } from '../../lib/index.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { emptyCluster } from '../helpers/empty-cluster.js';
import { listening } from '../helpers/listening.js';
import { certificate } from '../helpers/tls-front.js';

// A host whose alerts are durable. It tells where it is, and goes on until it is killed.

const [directory = ''] = process.argv.slice(2);
const gateway = await createGateway({
  storage: await filesystemStorage({ directory }),
  cluster: emptyCluster(),
  auth: 'none',
  mailer: smtpMailer({ ca: certificate }),
  mail: { limits: { firstPauseMillis: 50, longestPauseMillis: 100 } },
  alerts: { everyMillis: 100, durable: true },
});
const server = createServer(httpHandler(gateway));
attachWebSocket(server, gateway);
const { baseUrl } = await listening(server);
process.send?.(baseUrl);
