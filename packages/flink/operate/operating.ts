import type { ApplicationReport, ClusterContext, Launcher, Planner, Sampler } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import type { PropertyChange } from '../observe/derived-events.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import type { SqlGateway } from '../sql/session.js';
import { createDisposals } from './disposals.js';
import { createEnding, type Ending } from './ending.js';
import { createJarHolds } from './jar-holds.js';
import { createKeptJars } from './kept-jars.js';
import { createLauncher } from './launcher.js';
import { createPlanner } from './planner.js';
import { openJobRecords } from './records.js';
import { createRescaling, type Rescaling } from './rescaling.js';
import { createRestorePoints } from './restore-points.js';
import { createRunningJobs } from './running.js';
import { createSampler } from './sampling.js';
import { createSavepointBook } from './savepoint-book.js';
import { createSavepointOrders } from './savepoint-orders.js';
import { createSavepoints, type Savepoints } from './savepoints.js';
import { createSqlPrograms } from './sql-program.js';
import { createStops } from './stops.js';
import { createSubmission } from './submission.js';

/** What changes jobs, and what is known of them by that. */
export interface Operating {
  readonly ending: Ending;
  readonly launcher: Launcher & Required<Pick<Launcher, 'checkSql'>>;
  readonly planner: Planner;
  /** Absent without a SQL gateway. */
  readonly sampler: Sampler | undefined;
  readonly savepoints: Savepoints;
  readonly properties: Rescaling;
  /** Of properties, the oldest first. */
  changes(jobId: string): readonly PropertyChange[];
  /** The report with what this gateway knows besides. */
  complete(report: ApplicationReport): ApplicationReport;
  close(): void;
}

export async function openOperating(
  deps: Pick<ClusterContext, 'clock' | 'logger' | 'storage'> & {
    readonly client: JobManagerClient;
    /** Absent: there is none. */
    readonly sqlGateway: SqlGateway | undefined;
    readonly resources: Resources;
    readonly applications: FlinkApplications;
    readonly limits: {
      readonly jobs: number;
      readonly runMillis: number;
      readonly stopMillis: number;
      readonly savepointMillis: number;
      readonly jarsBytes: number;
      readonly disposalMillis: number;
      readonly savepoints: number;
      readonly samples: number;
      readonly sampleBytes: number;
      readonly sampleMillis: number;
    };
  },
): Promise<Operating> {
  const { clock, limits, applications } = deps;
  const closing = new AbortController();
  const records = await openJobRecords({ ...deps, now: clock.now, limit: limits.jobs });
  const jars = createKeptJars(deps.storage);
  const running = createRunningJobs(applications);
  const book = createSavepointBook({ ...deps, records, limit: limits.savepoints });
  const ends = { mostMillis: limits.savepointMillis, closing: closing.signal };
  const orders = createSavepointOrders({ ...deps, ...ends, book, changed: applications.changed });
  const disposals = createDisposals({ ...deps, ...ends });
  const stops = createStops({ ...deps, orders, closing: closing.signal });
  const restorePoints = createRestorePoints({ ...deps, book });
  const submission = createSubmission({ ...deps, records });
  const { runMillis, jarsBytes } = limits;
  const sql = createSqlPrograms({ ...deps, gateway: deps.sqlGateway, jars, runMillis });
  const holding = createJarHolds({ jars, records, jarsBytes });
  return {
    ending: createEnding({ ...deps, running, stops }),
    launcher: createLauncher({ ...deps, records, restorePoints, jars, sql, submission, holding }),
    planner: createPlanner({ ...deps, jars, sql, holding }),
    sampler: deps.sqlGateway && createSampler({ ...deps, gateway: deps.sqlGateway }),
    savepoints: createSavepoints({ ...deps, running, book, orders, disposals }),
    properties: createRescaling({ ...deps, running, records }),
    changes: (jobId) => records.get(jobId)?.changes ?? [],
    complete(report) {
      const launch = records.get(report.id)?.launch;
      const stop = report.state === 'FINISHED' ? book.stopOf(report.id) : undefined;
      if (!launch && stop?.location === undefined) return report;
      return {
        ...report,
        ...(launch ? { user: launch.user, isSystemApp: launch.isSystemApp } : {}),
        ...(launch?.packageSource ? { appPackageSource: launch.packageSource } : {}),
        ...(stop?.location === undefined ? {} : { diagnostics: stoppedWith(stop.location, stop.isDrained) }),
      };
    },
    close: () => closing.abort(),
  };
}

const stoppedWith = (location: string, isDrained = false): string =>
  `${isDrained ? 'Drained and stopped' : 'Stopped'} with the savepoint ${location}`;
