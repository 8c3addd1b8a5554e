import type { Metrics } from '../../runtime/metrics.js';

export type MetricsService = Pick<Metrics, 'text'>;
