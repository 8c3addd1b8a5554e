// The bundled server: the embedded engine with a demo application that follows this server's own access log, or a YARN
// cluster.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processRuntime } from '@headgate/containers';
import { directorySchemes } from '@headgate/directory';
import { localCluster } from '@headgate/engine';
import { jarReader } from '@headgate/jars';
import { filesystemStorage } from '@headgate/level';
import { yarnCluster } from '@headgate/yarn';
import { createGateway } from 'headgate';
import { configuredAuth } from 'headgate/auth/configured';
import { firstOf } from 'headgate/auth/first-of';
import { apiTokens } from 'headgate/auth/tokens';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { smtpMailer } from 'headgate/mail/smtp';
import { createAccessLog } from './access-log.js';
import { placeIn, readArguments, usage } from './arguments.js';
import { startDemo } from './demo.js';
import { greeting } from './greeting.js';
import { logInto } from './log-file.js';
import { servePage } from './pages.js';
import { serveStatic } from './static-files.js';
import { readTls } from './tls.js';

const settings = readArguments(process.argv.slice(2));
if (settings.problem) {
  console.error(`${settings.problem}\n\n${usage}`);
  process.exit(2);
}
if (settings.help) {
  console.log(usage);
  process.exit(0);
}

const data = resolve(settings.data);
const accessLogs = join(data, 'logs');
await mkdir(accessLogs, { recursive: true });
const log = logInto(join(data, 'headgate.log'), settings.logLevel);

const givenPassword = process.env.HEADGATE_ADMIN_PASSWORD;
const cluster = settings.yarn
  ? yarnCluster(settings.yarn)
  : localCluster({
      directory: join(data, 'engine'),
      files: { read: [accessLogs] }, // what applications may read besides their own folder
      packageCode: true, // whoever may upload packages here may run code on this machine
    });
const storage = await filesystemStorage({ directory: join(data, 'storage') }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
const gateway = await createGateway({
  storage,
  cluster,
  auth: firstOf(
    configuredAuth({
      rescue: settings.rescue,
      schemes: directorySchemes(),
      ...(settings.secureCookies ? { cookie: { secure: true } } : {}),
    }),
    apiTokens(),
  ),
  trustProxy: settings.trustProxy,
  origins: settings.origins,
  mailer: smtpMailer(), // to the server that PUT config/smtp names
  // Services run as programs of this machine, and end with the server.
  containers: processRuntime({ directory: join(data, 'services') }),
  services: { stopOnClose: true },
  site: { directory: join(data, 'conf') }, // the platform's properties, as XML to edit
  packages: {
    jars: jarReader(),
    importDirectory: fileURLToPath(new URL('../packages/dist', import.meta.url)),
  },
  ...(givenPassword ? { initialAdmin: { password: givenPassword } } : {}),
  logger: log.logger,
}).catch((error) => {
  console.error(error.message);
  process.exit(1);
});

const accessLogFile = join(accessLogs, 'access.log');
const accessLog = createAccessLog(accessLogFile);
const handle = httpHandler(gateway);
/** What is not the gateway's: files of an administrator, and the page. */
async function serveRest(request, response) {
  const folder = gateway.property('platform.gateway.staticResourceDirectory');
  if (folder && (await serveStatic(folder, request, response))) return;
  await servePage(request, response);
}
const answer = (request, response) => {
  accessLog.follow(request, response);
  handle(request, response, () => serveRest(request, response));
};
const tls = await readTls(gateway).catch(async (error) => {
  console.error(error.message);
  await gateway.close();
  process.exit(1);
});
const server = tls ? createSecureServer(tls, answer) : createServer(answer);
const detach = attachWebSocket(server, gateway, { refuseUnknown: true });

const address = gateway.property('platform.gateway.listenAddress');
const place = address && !settings.isPlaced ? placeIn(address) : settings.place;
server.listen(place.port, place.host);
await once(server, 'listening').catch(async (error) => {
  const where = `${place.host}:${place.port}`;
  console.error(
    error.code === 'EADDRINUSE' ? `${where} is taken; choose another with --port` : error.message,
  );
  await gateway.close();
  process.exit(1);
});
const { address: host, port } = server.address();
const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;

const demo = settings.demo ? await startDemo(gateway, cluster, accessLogFile) : undefined;

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  console.log(demo ? 'Stopping: the demo application drains' : 'Stopping');
  await demo?.drain();
  detach();
  server.close();
  server.closeAllConnections();
  await gateway.close();
  accessLog.close();
  await log.close();
  console.log('Stopped');
}
process.on('SIGINT', stop);
process.on('SIGTERM', stop);

console.log(`Headgate listening on ${url}`);
console.log(
  greeting(url, {
    generatedPassword: gateway.initialAdminPassword,
    givenPassword: givenPassword !== undefined,
  }),
);
