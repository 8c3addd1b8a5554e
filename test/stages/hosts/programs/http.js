import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '../parts/listening.js';

export const name = '`http`';

export function start({ mount, ...how }) {
  const server = createServer(async (request, response) => {
    if (await mount?.http(request, response)) return;
    if (request.url === '/page') response.end('own page');
    else if (request.url === '/echo') response.end(JSON.stringify(await json(request)));
    else response.writeHead(404).end('not here');
  });
  return listening(server, how);
}
