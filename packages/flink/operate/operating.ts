import type { ApplicationReport, ClusterContext, Launcher } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import { createEnding, type Ending } from './ending.js';
import { createKeptJars } from './kept-jars.js';
import { createLauncher } from './launcher.js';
import { type JobRecord, openJobRecords } from './records.js';
import { createRestorePoints } from './restore-points.js';
import { createStops } from './stops.js';
import { createSubmission } from './submission.js';

/** What changes jobs, and what is known of them by that. */
export interface Operating {
  readonly ending: Ending;
  readonly launcher: Launcher;
  /** The report with what this gateway knows besides. */
  complete(report: ApplicationReport): ApplicationReport;
  close(): void;
}

export async function openOperating(
  deps: Pick<ClusterContext, 'clock' | 'logger' | 'storage'> & {
    readonly client: JobManagerClient;
    readonly resources: Pick<Resources, 'configuration'>;
    readonly applications: FlinkApplications;
    readonly limits: {
      readonly jobs: number;
      readonly stopMillis: number;
      readonly savepointMillis: number;
      readonly jarsBytes: number;
    };
  },
): Promise<Operating> {
  const { clock, limits, applications } = deps;
  const records = await openJobRecords({ ...deps, now: clock.now, limit: limits.jobs });
  const stops = createStops({ ...deps, records, changed: applications.changed });
  const jars = createKeptJars(deps.storage);
  const restorePoints = createRestorePoints({ ...deps, records });
  const submission = createSubmission({ ...deps, records, jars });
  return {
    ending: createEnding({ ...deps, stops }),
    launcher: createLauncher({
      ...{ ...deps, records, restorePoints, jars, submission },
      jarsBytes: limits.jarsBytes,
    }),
    complete: (report) => completed(report, records.get(report.id)),
    close: stops.close,
  };
}

function completed(report: ApplicationReport, record: JobRecord | undefined): ApplicationReport {
  const { launch, stop } = record ?? {};
  const isStopped = stop?.location !== undefined && report.state === 'FINISHED';
  return {
    ...report,
    ...(launch ? { user: launch.user, isSystemApp: launch.isSystemApp } : {}),
    ...(launch?.packageSource ? { appPackageSource: launch.packageSource } : {}),
    ...(isStopped ? { diagnostics: `Stopped with the savepoint ${stop.location}` } : {}),
  };
}
