import { Text, text } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { prometheusText } from './schema.js';
import type { MetricsService } from './service.js';

const route = routeFor<MetricsService>();

export const metricsRoutes = {
  getMetrics: route({
    method: 'GET',
    path: '/ws/v2/metrics',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'What the gateway counts and measures of itself, in the text format of Prometheus',
    reply: text(prometheusText),
    handle: (metrics) => new Text(metrics.text()),
  }),
};
