import type { DoubleApplication } from './application.js';
import type { YarnDouble } from './index.js';
import { type Answer, type Asked, html, json, remoteException } from './server.js';

/** What a resource manager of Hadoop 2.7 answers. */
export async function managerAnswer(double: YarnDouble, index: number, asked: Asked): Promise<Answer> {
  const { path, method, query } = asked;
  const isActive = double.active === index;
  if (path === '/ws/v1/cluster/info')
    return json({ clusterInfo: { ...clusterInfo, haState: isActive ? 'ACTIVE' : 'STANDBY' } });
  if (path === '/conf') {
    const properties = Object.entries(double.configuration).map(([key, value]) => ({
      key,
      value,
      isFinal: false,
    }));
    return json({ properties });
  }
  if (!isActive) return onStandby(double, asked);
  if (path.startsWith('/proxy/')) return proxy(double, asked);
  if (path === '/ws/v1/cluster/metrics')
    return json({ clusterMetrics: { totalMB: 8192, activeNodes: 1, appsRunning: double.apps.size } });
  if (path === '/ws/v1/cluster/scheduler') return json({ scheduler: { schedulerInfo: scheduler } });
  if (path === '/ws/v1/cluster/nodes')
    return json({
      nodes: { node: [{ id: '127.0.0.1:1', state: 'RUNNING', nodeHTTPAddress: double.nodeManager.host }] },
    });
  if (path === '/ws/v1/cluster/apps') return list(double, query);
  if (/apps\/(?!application_\d+_\d+)/.test(path)) return remoteException('NoSuchElementException', 500);
  const [, id = '', more] = /^\/ws\/v1\/cluster\/apps\/([^/]+)(\/state)?$/.exec(path) ?? [];
  const application = double.apps.get(id);
  if (!application) return remoteException('NotFoundException', 404, `app with id: ${id} not found`);
  if (more === undefined) return json({ app: appOf(double, application) });
  if (method !== 'PUT') return json({ state: application.state });
  if (!asked.body.includes('KILLED')) return remoteException('BadRequestException', 400, 'Only KILLED');
  if (application.finalStatus !== 'UNDEFINED') return json({ state: application.state });
  setTimeout(() => {
    application.end('KILLED', 'KILLED', 'Application killed by user.');
    double.masters
      .get(id)
      ?.server.stop()
      .catch(() => {});
    double.masters.delete(id);
  }, 20).unref();
  return { ...json({ state: application.state }, 202), headers: { location: path } };
}

function onStandby(double: YarnDouble, { path, query }: Asked): Answer {
  const active = double.managers[double.active ?? -1];
  const body = 'This is standby RM. The redirect url is: ...\n';
  if (!active) return { status: 200, headers: { 'content-type': 'text/plain' }, body };
  const url = `${active.url}${path}?${query}`;
  return double.standby === 'redirect'
    ? { status: 307, headers: { location: url } }
    : { status: 200, headers: { refresh: `3; url=${url}`, 'content-type': 'text/plain' }, body };
}

/** Passes on what is asked with GET, and nothing else. */
async function proxy(double: YarnDouble, { path, query, method, headers }: Asked): Promise<Answer> {
  const [, id = '', rest = ''] = /^\/proxy\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (method !== 'GET') return html('HTTP method POST is not supported by this URL', 405);
  const master = double.masters.get(id);
  if (!double.apps.has(id)) return html(`Application ${id} could not be found`, 404);
  if (!master)
    return { status: 302, headers: { location: `/cluster/app/${id}${rest}` }, body: '<html>Moved</html>' };
  const answer = await fetch(`${master.server.url}${rest}?${query}`, {
    // No cookies of clients; the master trusts its proxy.
    headers: {
      accept: headers.accept ?? '*/*',
      ...(master.cookie ? { cookie: `proxy-user=dr.who; dt-client=${master.cookie}` } : {}),
    },
  });
  const cookie = answer.headers.get('set-cookie');
  return {
    status: answer.status,
    headers: {
      'content-type': answer.headers.get('content-type') ?? 'text/html',
      ...(cookie ? { 'set-cookie': cookie } : {}),
    },
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

const knownStates = ['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED'];

function list({ apps, ...double }: YarnDouble, query: URLSearchParams): Answer {
  const states = query.get('states')?.split(',');
  const unknown = states?.find((state) => !knownStates.includes(state));
  if (unknown !== undefined) return remoteException('BadRequestException', 400, `Invalid state ${unknown}`);
  const types = query.get('applicationTypes')?.split(',');
  const found = [...apps.values()]
    .filter(
      ({ state, launch }) =>
        (!states || states.includes(state)) && (!types || types.includes(launch.type ?? 'ApacheApex')),
    )
    .map((application) => appOf({ apps, ...double }, application));
  return json({ apps: found.length === 0 ? null : { app: found } });
}

function appOf(double: YarnDouble, app: DoubleApplication) {
  const isOver = app.finalStatus !== 'UNDEFINED';
  const manager = double.managers[double.active ?? 0]?.url;
  return {
    id: app.id,
    user: app.user,
    name: app.launch.name,
    queue: app.launch.queue ?? 'default',
    state: app.state,
    finalStatus: app.finalStatus,
    progress: 0,
    trackingUI: isOver ? 'History' : 'ApplicationMaster',
    trackingUrl: isOver ? `${manager}/cluster/app/${app.id}` : `${manager}/proxy/${app.id}/`,
    diagnostics: app.diagnostics,
    clusterId: 1,
    applicationType: app.launch.type ?? 'ApacheApex',
    applicationTags: '',
    startedTime: app.startedTime,
    finishedTime: app.finishedTime,
    elapsedTime: (isOver ? app.finishedTime : Date.now()) - app.startedTime,
    ...(app.state === 'ACCEPTED'
      ? {}
      : {
          amContainerLogs: `http://${double.nodeManager.host}/node/containerlogs/${app.masterContainer}/${app.user}`,
          amHostHttpAddress: double.nodeManager.host,
        }),
    allocatedMB: isOver ? -1 : 960,
    allocatedVCores: isOver ? -1 : 3,
    runningContainers: isOver ? -1 : app.containers.filter(({ state }) => state === 'ACTIVE').length,
  };
}

const clusterInfo = {
  id: 1,
  startedOn: 1,
  state: 'STARTED',
  resourceManagerVersion: '2.7.7',
  resourceManagerBuildVersion: '2.7.7 from c1aad84 by stevel source checksum 1',
  hadoopVersion: '2.7.7',
  hadoopBuildVersion:
    '2.7.7 from c1aad84bd27cd79c3d1a7dd58202a8c3ee1ed3ac by stevel source checksum 792e15d20b12c74bd6f19a1fb886490',
  hadoopVersionBuiltOn: '2018-07-18T22:47Z',
};

const scheduler = {
  type: 'capacityScheduler',
  capacity: 100,
  usedCapacity: 12.5,
  maxCapacity: 100,
  queueName: 'root',
  queues: {
    queue: [
      {
        type: 'capacitySchedulerLeafQueueInfo',
        queueName: 'default',
        state: 'RUNNING',
        capacity: 80,
        usedCapacity: 'NaN',
        maxCapacity: 100,
      },
      {
        queueName: 'night',
        state: 'RUNNING',
        capacity: 20,
        usedCapacity: 0,
        maxCapacity: 50,
        queues: {
          queue: [{ queueName: 'batch', state: 'STOPPED', capacity: 100, usedCapacity: 0, maxCapacity: 100 }],
        },
      },
    ],
  },
};
