import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { attachWebSocket, inFrontOf } from '../../../adapters/host/http.js';
import { newGateway } from '../../helpers/gateway.js';
import { liveExchange } from '../../helpers/live-exchange.js';
import { programs } from './programs.js';

// The gateway in front of hosts, beside WebSockets of their own as their users write them.

for (const { name, start } of await programs()) {
  for (const order of ['before', 'after'] as const) {
    t.test(`${name}, attached ${order} its WebSockets`, async (t) => {
      const { gateway, logs } = await newGateway(t);
      const prefix = '/console';
      const detach: (() => void)[] = [];
      const product = await start({
        order,
        attach(server) {
          detach.push(inFrontOf(server, gateway, { prefix }), attachWebSocket(server, gateway, { prefix }));
        },
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
