import type { Metrics } from '../../core/metrics.js';

export type MetricsService = Pick<Metrics, 'text'>;
