import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join, resolve } from 'node:path';
import { localCluster } from '@headgate/engine';
import { flinkCluster } from '@headgate/flink';
import { yarnCluster } from '@headgate/yarn';
import type { ClusterDriver, Gateway } from 'headgate';
import { owned } from 'headgate/driver-kit';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { createAccessLog } from './access-log.js';
import { answerUnreadable } from './client-errors.js';
import { type Demo, startDemo } from './demo.js';
import { openGateway } from './gateway.js';
import { greeting } from './greeting.js';
import { logInto } from './log-file.js';
import { type Place, placeIn, type Settings } from './settings.js';
import { serveStatic } from './static-files.js';
import { readTls } from './tls.js';

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Resolves when it listens; SIGTERM and SIGINT stop it. Rejects with a sentence for whoever started it. */
export async function runServer(settings: Settings): Promise<void> {
  const data = resolve(settings.data);
  const accessLogs = join(data, 'logs');
  await mkdir(accessLogs, { recursive: true });
  const log = logInto(settings.logFile ?? join(data, 'headgate.log'), settings.logLevel);
  const cluster = clusterFor(settings, { data, accessLogs });
  const gateway = await openGateway(settings, { data, cluster, logger: log.logger });
  const accessLogFile = join(accessLogs, 'access.log');
  const accessLog = createAccessLog(accessLogFile);
  const { server, url, detach } = await listen(settings, gateway, (request, response) =>
    accessLog.follow(request, response),
  ).catch(async (error) => {
    await gateway.close();
    throw error;
  });
  const file = new URL('../demo/access-log.json', import.meta.url);
  const demo = settings.demo ? await startDemo(gateway, cluster, { file, accessLogFile }) : undefined;

  onceStopped(demo, async () => {
    detach();
    server.close();
    server.closeAllConnections();
    await gateway.close();
    accessLog.close();
    await log.close();
  });
  print(`Headgate listening on ${url}`);
  const isGiven = settings.adminPassword !== undefined;
  print(greeting(url, { generatedPassword: gateway.initialAdminPassword, isGiven }));
}

function clusterFor(
  { yarn, flink }: Settings,
  { data, accessLogs }: { readonly data: string; readonly accessLogs: string },
): ClusterDriver {
  if (yarn) return yarnCluster(yarn);
  if (flink) return flinkCluster({ ...flink, directory: join(data, 'flink') });
  return localCluster({
    directory: join(data, 'engine'),
    files: { read: [accessLogs] }, // what applications may read besides their own folder
    packageCode: true, // whoever may upload packages here may run code on this machine
  });
}

/** Who stops it twice is asked to wait. */
function onceStopped(demo: Demo | undefined, close: () => Promise<void>): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    print(demo ? 'Stopping: the demo application drains' : 'Stopping');
    await demo?.drain();
    await close();
    print('Stopped');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

interface Listening {
  readonly server: Server;
  readonly url: string;
  readonly detach: () => void;
}

async function listen(
  settings: Settings,
  gateway: Gateway,
  follow: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  const handle = httpHandler(gateway);
  /** What is not the gateway's: files of an administrator, and the way to the console. */
  const serveRest = async (request: IncomingMessage, response: ServerResponse) => {
    const folder = gateway.property('platform.gateway.staticResourceDirectory');
    if (folder && (await serveStatic(folder, request, response))) return;
    answerRest(request, response);
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    follow(request, response);
    handle(request, response, () => serveRest(request, response));
  };
  const tls = await readTls(gateway);
  const server = owned(tls ? createSecureServer(tls, answer) : createServer(answer));
  answerUnreadable(server);
  const detach = attachWebSocket(server, gateway, { refuseUnknown: true });
  const address = gateway.property('platform.gateway.listenAddress');
  const place = address && !settings.isPlaced ? placeIn(address) : settings.place;
  server.listen(place.port, place.host);
  await once(server, 'listening').catch((error) => {
    throw isTaken(error) ? new Error(`${shown(place)} is taken; choose another with --port`) : error;
  });
  const bound = server.address();
  const url = `${tls ? 'https' : 'http'}://${typeof bound === 'object' && bound ? shown({ port: bound.port, host: bound.address }) : ''}`;
  return { server, url, detach };
}

function answerRest({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const isFirstPage = /^\/(\?|$)/.test(url);
  if (isFirstPage) response.writeHead(302, { location: 'console/' }).end();
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here\n');
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

const shown = ({ host, port }: Place): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
