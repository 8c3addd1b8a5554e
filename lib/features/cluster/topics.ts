import { ClusterMetrics } from '../../model/cluster.js';
import { topicFor } from '../../pubsub/topic.js';
import type { ClusterService } from './service.js';

const topic = topicFor<ClusterService>();

export const clusterTopics = {
  metrics: topic({
    name: 'cluster.metrics',
    summary: 'Load of the whole cluster',
    access: 'VIEW_GLOBAL_CONFIG',
    data: ClusterMetrics,
    kind: 'snapshot',
    every: 5000,
    read: (cluster, { signal }) => cluster.metrics(signal),
  }),
};
