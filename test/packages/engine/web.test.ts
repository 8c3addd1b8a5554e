import t from 'tap';
import { z } from 'zod';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// The engine's own resource manager and masters behind the proxies: the shapes of a cluster's.

t.test('the web services of the embedded engine', async (t) => {
  const { gateway, baseUrl, newClient } = await engineGateway(t);
  const ada = newClient(as('ada', 'developer'));
  const root = newClient(as('root', 'admin'));
  const appid = await gateway.launch(words());
  await untilItRuns(ada, appid);

  const manager = async (rest: string) =>
    JSON.parse(await (await root.forwardManagerGet({ params: { rest } })).text());
  const master = async (rest: string) => {
    const answer = await ada.forwardMasterGet({ params: { rest: `${appid}/${rest}` } });
    return JSON.parse(await answer.text());
  };
  const post = async (rest: string, body?: unknown) => {
    const answer = await ada.forwardMasterPost({
      params: { rest: `${appid}/${rest}` },
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return JSON.parse(await answer.text());
  };
  const refused = async (path: string, init: RequestInit = {}) => {
    const headers = { ...as('root', 'admin').headers, 'content-type': 'application/json' };
    const answer = await fetch(`${baseUrl}/proxy/${path}`, { headers, ...init });
    return { status: answer.status, ...z.looseObject({}).parse(await answer.json()) };
  };

  await t.test('the resource manager tells of applications, with real numbers', async (t) => {
    t.match(await manager('cluster/info'), { clusterInfo: { state: 'STARTED', haState: 'ACTIVE' } });
    t.match(await manager('cluster/metrics'), {
      clusterMetrics: { appsRunning: 1, totalNodes: 1, totalMB: Number },
    });
    const app = {
      id: appid,
      name: 'words',
      user: 'ada',
      state: 'RUNNING',
      finalStatus: 'UNDEFINED',
      startedTime: Number,
    };
    t.match(await manager('cluster/apps'), { apps: { app: [app] } });
    t.match(await manager(`cluster/apps/${appid}`), { app });
    t.strictSame(await manager(`cluster/apps/${appid}/state`), { state: 'RUNNING' });
    t.match(await manager(`cluster/apps/${appid}/appattempts`), { appAttempts: { appAttempt: [{ id: 1 }] } });
    t.match(await manager('cluster/scheduler'), { scheduler: { schedulerInfo: { type: 'fifoScheduler' } } });
    const { nodes } = await manager('cluster/nodes');
    t.match(await manager(`cluster/nodes/${nodes.node[0].id}`), { node: { state: 'RUNNING' } });
  });

  await t.test('filters, and what there is not', async (t) => {
    const filtered = async (search: string) => {
      const answer = await fetch(`${baseUrl}/proxy/rm/v1/cluster/apps?${search}`, as('root', 'admin'));
      return { status: answer.status, ...z.looseObject({}).parse(await answer.json()) };
    };
    t.match(await filtered('states=RUNNING,ACCEPTED&user=ada&limit=1'), { apps: { app: { length: 1 } } });
    for (const none of ['states=FINISHED', 'user=eve', 'applicationTypes=MAPREDUCE', 'startedTimeEnd=1']) {
      t.strictSame(await filtered(none), { status: 200, apps: null }, none);
    }
    for (const bad of ['states=DANCING', 'limit=0', 'startedTimeBegin=soon']) {
      t.match(
        await filtered(bad),
        { status: 400, RemoteException: { exception: 'BadRequestException' } },
        bad,
      );
    }
    const missing = { status: 404, RemoteException: { exception: 'NotFoundException', message: String } };
    t.match(await refused('rm/v1/cluster/apps/application_1_0009'), missing);
    t.match(await refused('rm/v1/cluster/nothing'), missing);
    t.match(await refused('rm/v1/cluster/apps', { method: 'POST', body: '{}' }), { status: 400 });
    t.match(await refused(`master/v2/${appid}/physicalPlan/operators/99`), missing);
    t.match(await refused(`master/v2/${appid}/shutdown`), { status: 405 });
    t.match(await refused(`master/v2/${appid}/logicalPlan`, { method: 'POST', body: '{' }), {
      status: 400,
      RemoteException: { message: /not JSON/ },
    });
    t.match(
      await refused(`master/v2/${appid}/logicalPlan`, { method: 'POST', body: 'x'.repeat(2_000_000) }),
      {
        status: 400,
        RemoteException: { message: /larger/ },
      },
    );
  });

  await t.test('masters write numbers as text', async (t) => {
    t.match(await master('info'), {
      id: appid,
      user: 'ada',
      startTime: /^\d{13}$/,
      stats: { numOperators: '3' },
    });
    t.match(await master(''), { id: appid });
    const { operators } = await master('physicalPlan');
    t.match(operators[0], { id: '1', totalTuplesEmitted: /^\d+$/, ports: [{ totalTuples: /^\d+$/ }] });
    t.equal(operators[0].isUnifier, undefined);
    t.match(await master('physicalPlan/operators/1'), { name: 'source' });
    t.match(await master('physicalPlan/operators/1/ports/output'), { type: 'output' });
    t.match(await master('physicalPlan/streams'), { streams: { length: 2 } });
    const { containers } = await master('physicalPlan/containers?states=ACTIVE');
    t.match(containers[0], { operators: null, state: 'ACTIVE' });
    t.match(await master(`physicalPlan/containers/${containers[1].id}`), { memoryMBAllocated: /^\d+$/ });
    t.match(await master(`physicalPlan/containers/${containers[1].id}/stackTrace`), {
      threads: [{ id: Number }],
    });
    t.match(await master('logicalPlan'), { operators: { length: 3 }, attributes: { APPLICATION_ID: appid } });
    t.match(await master('logicalPlan/attributes?attributeName=STREAMING_WINDOW_SIZE_MILLIS'), {
      STREAMING_WINDOW_SIZE_MILLIS: '100',
    });
    t.match(await master('logicalPlan/operators/source'), { status: { ACTIVE: '1' } });
    t.match(await master('logicalPlan/operators/source/aggregation'), {
      name: 'source',
      tuplesEmittedPSMA: { min: /\d/, sum: /\d/ },
      currentWindowId: { min: /^\d{15,}$/ },
    });
    t.match(await master('logicalPlan/operators/source/ports'), {
      ports: [{ name: 'output', type: 'output' }],
    });
    t.match(await master('logicalPlan/operators/source/properties?propertyName=tuplesPerSecond'), {
      tuplesPerSecond: '200',
    });
    t.match(await master('physicalPlan/operators/1/properties?propertyName=tuplesPerSecond'), {
      tuplesPerSecond: 200,
    });
    t.match(await master('operatorClasses?q=timer'), { operatorClasses: [{ name: /Timer/ }] });
    t.match(await master('loggers/search?pattern=headgate.*'), { loggers: [{ name: /^headgate/ }] });
  });

  await t.test('changes take effect', async (t) => {
    t.strictSame(await post('logicalPlan/operators/source/properties', { tuplesPerSecond: 100 }), {});
    await until(
      () => master('physicalPlan/operators/1/properties'),
      (properties) => properties.tuplesPerSecond === 100,
    );
    t.strictSame(await post('loggers', { loggers: [{ target: 'headgate.*', logLevel: 'DEBUG' }] }), {});
    t.match(await master('loggers'), { loggers: [{ target: 'headgate.*', logLevel: 'DEBUG' }] });
    const { id } = await post('physicalPlan/operators/1/recordings/start', { numWindows: 2 });
    t.match(id, /^\d{12}-/);
    t.match(
      await post('logicalPlan', { requests: [{ requestType: 'RemoveStreamRequest', streamName: 'none' }] }),
      {
        error: /none/,
      },
    );
    t.strictSame(await post('shutdown'), {});
    await untilState(ada, appid, 'FINISHED');
    t.match(await refused(`master/v2/${appid}/info`), { status: 503, code: 'NOT_READY' });
    t.match(await manager(`cluster/apps/${appid}`), {
      app: { finalStatus: 'SUCCEEDED', trackingUI: 'History' },
    });
  });
});
