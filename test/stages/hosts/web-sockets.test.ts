import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { attachWebSocket, inFrontOf } from '../../../adapters/host/http.js';
import { newGateway } from '../../helpers/gateway.js';
import { liveExchange } from '../../helpers/live-exchange.js';
import { root } from '../../helpers/sources.js';

// The gateway beside the WebSockets of frameworks, as their users write them: the programs stand beside this file.

type Order = 'before' | 'after';
type Start = (order: Order, attach: (server: Server) => void) => Promise<RunningProduct>;

interface RunningProduct {
  readonly server: Server;
  close(): Promise<unknown>;
}

const Product = z.object({
  name: z.string(),
  start: z.custom<Start>((value) => typeof value === 'function'),
});

const folder = join(root, 'test/stages/hosts');
const programs = readdirSync(folder).filter((file) => file.endsWith('.js'));

for (const program of programs) {
  const { name, start } = Product.parse(await import(pathToFileURL(join(folder, program)).href));
  for (const order of ['before', 'after'] as const) {
    t.test(`${name}, attached ${order} its WebSockets`, async (t) => {
      const { gateway, logs } = await newGateway(t);
      const prefix = '/console';
      const detach: (() => void)[] = [];
      const product = await start(order, (server) => {
        detach.push(inFrontOf(server, gateway, { prefix }), attachWebSocket(server, gateway, { prefix }));
      });
      const { port } = Object(product.server.address());
      const origin = `127.0.0.1:${port}`;
      const own = new WebSocket(`ws://${origin}/own`);
      t.teardown(async () => {
        own.terminate();
        for (const end of detach) end();
        await product.close();
      });

      await once(own, 'open');
      const exchange = await liveExchange(t, `http://${origin}${prefix}`);
      await exchange();
      own.send('{"event":"say","data":"mine"}');
      const [echo] = await once(own, 'message');
      t.match(String(echo), '"data":"mine"');
      await exchange();

      t.equal(await (await fetch(`http://${origin}/page`)).text(), 'own page');
      t.equal((await fetch(`http://${origin}${prefix}/ws/v2/about`)).status, 200);
      const unknown = new WebSocket(`ws://${origin}/nobody`);
      const [error] = await once(unknown, 'error');
      t.match(
        error,
        { message: /hang up|Unexpected server response/ },
        'the framework ends what is nobody’s',
      );
      t.strictSame(
        logs.filter(({ level }) => level === 'error'),
        [],
      );
    });
  }
}
t.ok(programs.length >= 3, `${programs}`);
