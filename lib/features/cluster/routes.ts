import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { About, ClusterConfiguration, ClusterMetrics, QueueList } from '../../model/cluster.js';
import type { ClusterService } from './service.js';

const route = routeFor<ClusterService>();

export const clusterRoutes = {
  getAbout: route({
    method: 'GET',
    path: '/ws/v2/about',
    access: 'public',
    summary:
      'Tell versions and place of gateway, engine and cluster; the short form without VIEW_GLOBAL_CONFIG',
    reply: json(About),
    handle: (cluster, call) => cluster.about(call),
  }),
  getClusterMetrics: route({
    method: 'GET',
    path: '/ws/v2/cluster/metrics',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read the load of the whole cluster',
    reply: json(ClusterMetrics),
    handle: (cluster, { signal }) => cluster.metrics(signal),
  }),
  getClusterConfig: route({
    method: 'GET',
    path: '/ws/v2/cluster/config',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read the configuration of the cluster',
    requires: 'resourceManager.configuration',
    reply: json(ClusterConfiguration),
    handle: (cluster, { signal }) => cluster.configuration(signal),
  }),
  listQueues: route({
    method: 'GET',
    path: '/ws/v2/cluster/queues',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List the queues that applications are launched into',
    requires: 'resourceManager.queues',
    reply: json(QueueList),
    handle: async (cluster, { signal }) => ({ queues: await cluster.queues(signal) }),
  }),
};
