import { buildInfo } from './build.js';
import type { AlertRound } from './features/system-alerts/round-ticker.js';
import type { AlertService } from './features/system-alerts/service.js';
import type { Answered } from './http/dispatch.js';
import { createInstrumentation } from './http/instrumentation.js';
import { type GatewayOptions, machineClock } from './options.js';
import type { Hub } from './pubsub/hub.js';
import { aroundCalls } from './runtime/around-calls.js';
import type { Metrics } from './runtime/metrics.js';
import { readProcess } from './runtime/process-metrics.js';
import { version } from './version.js';

// What is counted, and where it passes: `GET /ws/v2/metrics`, docs/operations.md.

/** What everybody's dashboards ask of a process, and which Headgate it is. Returns what ends the watching. */
export function readProcessAndBuild(metrics: Metrics): () => void {
  metrics.readings('gauge', 'headgate_build_info', 'Which Headgate it is', ['version', 'revision'], () => [
    { values: [version, buildInfo.revision], number: 1 },
  ]);
  return readProcess(metrics);
}

/** Storage and cluster whose calls are measured; nobody sees another difference. */
export function instrumentedDrivers(options: GatewayOptions, metrics: Metrics): GatewayOptions {
  const { storage, cluster, clock = machineClock } = options;
  metrics.reading(
    'gauge',
    'headgate_cluster_child_processes',
    'Processes of this machine that run because of the cluster driver',
    () => cluster.childProcesses?.() ?? 0,
  );
  return {
    ...options,
    storage: aroundCalls(storage, createInstrumentation('storage', { metrics, clock })),
    cluster: aroundCalls(cluster, createInstrumentation('cluster', { metrics, clock }), {
      master: 'master.',
    }),
  };
}

export function answerCounter(metrics: Metrics): (answered: Answered) => void {
  const requests = metrics.counter('headgate_http_requests_total', 'Requests that were answered', [
    'operation',
    'status',
  ]);
  const seconds = metrics.histogram(
    'headgate_http_request_seconds',
    'From the request to its answer, without the body of a stream',
    ['operation'],
  );
  return ({ operation, status, durationMillis }) => {
    requests.of(operation, String(status)).add();
    seconds.of(operation).observe(durationMillis / 1000);
  };
}

export function roundCounter(metrics: Metrics): (round: AlertRound) => void {
  const rounds = metrics.counter('headgate_alert_rounds_total', 'Evaluations of all system alerts', [
    'outcome',
  ]);
  const seconds = metrics.histogram('headgate_alert_round_seconds', 'How long such an evaluation took');
  return ({ durationMillis, isOk }) => {
    rounds.of(isOk ? 'ok' : 'failed').add();
    seconds.of().observe(durationMillis / 1000);
  };
}

/** A restart brings others. */
export function readAlerts(metrics: Metrics, { processCount }: Pick<AlertService, 'processCount'>): void {
  metrics.reading(
    'gauge',
    'headgate_alert_child_processes',
    'Processes that run conditions of system alerts, the spare one included',
    processCount,
  );
}

/** A restart brings another hub, whose counters begin anew. */
export function readHub(metrics: Metrics, hub: Hub): void {
  const read = (type: 'gauge' | 'counter', name: string, help: string, of: keyof Hub['stats']) =>
    metrics.reading(type, `headgate_hub_${name}`, help, () => hub.stats[of]);
  read('gauge', 'sockets', 'WebSockets that are open', 'connections');
  read('gauge', 'topics', 'Topics that somebody listens to', 'topics');
  read('gauge', 'slow_sockets', 'Sockets that do not keep up at the moment', 'slowSockets');
  read('gauge', 'waiting_bytes', 'What waits for those sockets', 'waitingBytes');
  read('counter', 'received_messages_total', 'Messages of clients', 'received');
  read('counter', 'sent_messages_total', 'Messages for sockets', 'sent');
  read('counter', 'skipped_snapshots_total', 'Snapshots that slow sockets were spared', 'skipped');
  read(
    'counter',
    'closed_too_slow_total',
    'Sockets that were closed because they did not keep up',
    'tooSlow',
  );
  read(
    'counter',
    'refused_subscriptions_total',
    'Subscriptions beyond the limit of their socket, which were ignored',
    'refusedSubscriptions',
  );
}
