import { serve } from 'srvx';
import { listening } from '../parts/listening.js';

export const name = '`fetch` (srvx)';

export async function start({ mount, ...how }) {
  const app = serve({
    hostname: '127.0.0.1',
    port: 0,
    manual: true,
    silent: true,
    async fetch(request) {
      const answer = await mount?.fetch(request, { remoteAddress: request.ip });
      if (answer) return answer;
      const { pathname } = new URL(request.url);
      if (pathname === '/page') return new Response('own page');
      if (pathname === '/echo') return Response.json(await request.json());
      return new Response('not here', { status: 404 });
    },
  });
  return listening(app.node.server, how);
}
