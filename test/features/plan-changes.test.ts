import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Client } from '../../lib/client.js';
import { engineGateway, until, untilItRuns } from '../helpers/applications.js';
import { fixtures, op, stream } from '../helpers/local-cluster.js';
import { as } from '../helpers/people.js';

t.test('smoke', async (t) => {
  const { gateway, newClient } = await engineGateway(t, { operators: [fixtures] });
  const client: Client = newClient(as('ada'));
  const dir = t.testdir();
  const file = join(dir, 'totals');
  const second = join(dir, 'second');
  const appid = await gateway.launch({
    user: 'ada',
    name: 'smoke',
    application: {
      attributes: {
        STREAMING_WINDOW_SIZE_MILLIS: 50,
        CHECKPOINT_WINDOW_COUNT: 4,
        HEARTBEAT_INTERVAL_MILLIS: 200,
      },
      operators: [
        op('source', 'Sequence', { total: 30_000, perSecond: 10_000 }),
        op('totals', 'Totals', { file }),
      ],
      streams: [stream('source.out -> totals.in')],
    },
  });
  const params = { appid };
  await untilItRuns(client, appid);
  const began = performance.now();
  await client.changeLogicalPlan({
    params,
    body: {
      requests: [
        { requestType: 'CreateOperatorRequest', operatorName: 'more', operatorFQCN: 'test.Totals' },
        {
          requestType: 'SetOperatorPropertyRequest',
          operatorName: 'more',
          propertyName: 'file',
          propertyValue: second,
        },
        {
          requestType: 'AddStreamSinkRequest',
          streamName: 'source-out',
          sinkOperatorName: 'more',
          sinkOperatorPortName: 'in',
        },
      ],
    },
  });
  t.comment('took', performance.now() - began);
  const app = await until(
    () => client.getApplication({ params }),
    ({ state }) => state === 'FINISHED' || state === 'FAILED',
  );
  t.comment(app.state, app.diagnostics);
  for (const f of [file, second])
    t.comment(existsSync(f) ? readFileSync(f, 'utf8').split('\n').slice(-2).join() : 'none');
  const plan = await client.getPhysicalPlan({ params });
  t.comment(
    JSON.stringify(
      plan.operators.map((o) => [o.id, o.name, o.totalTuplesProcessed, o.totalTuplesEmitted, o.container]),
    ),
  );
  const { events } = await client.listEvents({ params });
  for (const e of events) t.comment(e.type, JSON.stringify(e.data).slice(0, 150));
});
