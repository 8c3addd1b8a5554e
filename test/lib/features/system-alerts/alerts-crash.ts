import { createServer } from 'node:http';
import { attachWebSocket, httpHandler } from '../../../../adapters/host/http.js';
import { smtpMailer } from '../../../../adapters/mail/smtp.js';
import { createGateway, type Storage } from '../../../../lib/index.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { isAboutAlerts } from '../../../helpers/alerts.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';
import { listening } from '../../../helpers/listening.js';
import { certificate } from '../../../helpers/tls-front.js';

// A host whose alerts are durable. It tells where it is, and goes on until it is killed, which it does itself where it is
// told so: `before` or `after` the write of this number that is about the state of alerts or their mails.

const [directory = '', when, number] = process.argv.slice(2);

function kill(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

function killedAt(storage: Storage): Storage {
  const { documents } = storage;
  let writes = 0;
  return {
    ...storage,
    documents: {
      ...documents,
      async write(batch) {
        const isIt = isAboutAlerts(batch) && ++writes === Number(number);
        if (isIt && when === 'before') await kill();
        const etags = await documents.write(batch);
        if (isIt) await kill();
        return etags;
      },
    },
  };
}

const gateway = await createGateway({
  storage: killedAt(await filesystemStorage({ directory })),
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
