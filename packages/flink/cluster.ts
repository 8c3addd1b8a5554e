import { KeptReport, openStoredReports } from '@headgate/history';
import {
  type ApplicationReport,
  type ClusterContext,
  type ClusterMetrics,
  createHttpClient,
  type Master,
} from 'headgate/driver-kit';
import * as z from 'zod';
import { createTaskManagerDetails } from './jobs/allocations.js';
import { createApplications, type FlinkApplications } from './jobs/applications.js';
import { hasEnded } from './jobs/states.js';
import { createMasters } from './master.js';
import { clusterMetrics } from './observe/cluster-metrics.js';
import { createEventBook } from './observe/event-book.js';
import { createEventFollower } from './observe/event-follower.js';
import { type ClusterFacts, createFacts } from './observe/facts.js';
import { openHistory } from './observe/history.js';
import { createInspector } from './observe/inspector.js';
import { createJobViews } from './observe/job-view.js';
import { createSampling } from './observe/measuring.js';
import { createObserver } from './observe/observer.js';
import { createSubtasks } from './observe/subtasks.js';
import { createTaskManagerBook } from './observe/task-managers.js';
import { type Operating, openOperating } from './operate/operating.js';
import { createJobManagerClient } from './rest/client.js';
import { jobStatus } from './rest/job-status.js';
import { createResources } from './rest/resources.js';
import type { FlinkSettings } from './settings/options.js';
import { createSqlGateway } from './sql/session.js';

export interface Cluster {
  readonly applications: FlinkApplications;
  readonly facts: ClusterFacts;
  readonly operating: Operating;
  list(options?: { readonly activeOnly?: boolean }): Promise<readonly ApplicationReport[]>;
  metrics(): Promise<ClusterMetrics>;
  master(report: ApplicationReport): Master;
  close(): Promise<void>;
}

/** Task managers that are remembered after they were lost. */
const keptTaskManagers = 1000;

/** The parts of the driver, put together. */
export async function connect(
  { jobManagers, sqlGateway: sqlUrl, headers, tls, pollMillis, user, directory, limits }: FlinkSettings,
  { clock, logger, storage, publish, subscribe }: ClusterContext,
): Promise<Cluster> {
  const kept = await openStoredReports('flink-applications', z.object({ report: KeptReport }), {
    storage,
    logger,
  });
  const client = createJobManagerClient({ urls: jobManagers, headers, tls, limits });
  const sqlGateway = createSqlGateway({ url: sqlUrl, headers, tls, limits });
  const active = () => client.active;
  const forwarding = { address: active, headers, http: createHttpClient({ ...limits, tls }) };
  const resources = createResources({ ...limits, client, clock, pollMillis });
  const details = createTaskManagerDetails(resources);
  const applications = createApplications({
    ...{ resources, details, clock, user, limits, kept },
    statusOf: (jobId) => jobStatus(client, jobId),
  });
  const book = createTaskManagerBook({ details, clock, kept: keptTaskManagers });
  const subtasks = createSubtasks(resources);
  const views = createJobViews(resources, subtasks);
  const observer = createObserver({ resources, views, book, details, jobManager: active });
  const inspector = createInspector({ resources, observer });
  const unrecorded = (err: unknown) =>
    logger.warn({ event: 'history.not_recorded', err }, 'Statistics or events of Flink jobs can not be kept');
  const history =
    directory === undefined
      ? undefined
      : openHistory({ ...{ directory, observer, clock, limits }, onProblem: unrecorded });
  const operating = await openOperating({
    ...{ client, sqlGateway, resources, applications, clock, logger, storage, limits },
  });
  const { ending, savepoints, properties } = operating;
  const sampling = createSampling({ resources, clock, limits });
  const events = createEventBook({
    resources,
    views,
    limits,
    log: history?.eventLog,
    changes: operating.changes,
    publish: (jobId, event) => publish(jobId, `applications.${jobId}.events`, JSON.stringify(event)),
  });
  const follower = createEventFollower({ events, subscribe, pollMillis });

  async function list(call?: { readonly activeOnly?: boolean }): Promise<ApplicationReport[]> {
    const reports = (await applications.list(call)).map(({ report }) => report);
    follower.present(reports.flatMap((report) => (hasEnded(report) ? [] : report.id)));
    return reports.map(operating.complete);
  }

  const master = createMasters({
    ...{ client, resources, subtasks, applications, observer, inspector, events, ending },
    ...{ forwarding, sampling, savepoints, properties, history },
  });

  return {
    applications,
    facts: createFacts({ resources, details, jobManagers, active }),
    operating,
    list,
    metrics: async () => clusterMetrics(await list(), { resources, details }),
    master,
    async close() {
      operating.close();
      follower.close();
      await history?.close();
      client.close();
      sqlGateway?.close();
      forwarding.http.close();
      await kept.close();
    },
  };
}
