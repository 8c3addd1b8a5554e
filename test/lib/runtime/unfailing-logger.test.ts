import t from 'tap';
import { newGateway } from '../../helpers/gateway.js';

t.test('a log that fails ends no request and no start', async (t) => {
  let lines = 0;
  const fail = () => {
    lines++;
    throw new Error('ENOSPC');
  };
  const logger = { debug: fail, info: fail, warn: fail, error: fail };
  const { client } = await newGateway(t, { logger });
  t.match(await client.getHealth(), { status: 'ok' });
  await t.rejects(client.getUser({ params: { user: 'nobody' } }));
  t.ok(lines > 0);
});
