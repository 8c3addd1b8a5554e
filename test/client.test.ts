import t from 'tap';
import { ClientError } from '../lib/client.js';
import { newGateway } from './helpers/gateway.js';

t.test('an operation is a function', async (t) => {
  const { client, logs } = await newGateway(t);
  t.same(await client.getHealth(), { status: 'ok', reasons: [] });
  t.match(logs, [{ level: 'info', fields: { route: 'getHealth', status: 200 } }]);
});

t.test('an error tells code, status and the request of the log', async (t) => {
  const { newClient, logs } = await newGateway(t, { auth: { authenticate: async () => undefined } });
  const error = await newClient()
    .getCapabilities()
    .catch((thrown: unknown) => thrown);
  t.type(error, ClientError);
  t.match(error, { status: 401, code: 'NOT_LOGGED_IN', requestId: String(logs[0]?.fields['requestId']) });
});
