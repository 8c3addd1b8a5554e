import { createServer, type RequestListener } from 'node:http';
import { hostAnswer, type RunningHost } from '../../contracts/index.js';
import { listening } from './listening.js';

/** What a host of the host contract says to everything that is not the gateway's. */
export const notTheGateway: RequestListener = (_, res) => {
  res.writeHead(404, { 'x-host': 'yes' }).end(hostAnswer);
};

export async function hostOf(listener: RequestListener, prefix = ''): Promise<RunningHost> {
  const { baseUrl, close } = await listening(createServer(listener));
  return { baseUrl: baseUrl + prefix, close };
}
