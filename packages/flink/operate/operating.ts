import type { ApplicationReport, ClusterContext } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import type { JobManagerClient } from '../rest/client.js';
import { createEnding, type Ending } from './ending.js';
import { type JobRecord, openJobRecords } from './records.js';
import { createStops } from './stops.js';

/** What changes jobs, and what is known of them by that. */
export interface Operating {
  readonly ending: Ending;
  /** The report with what this gateway knows besides. */
  complete(report: ApplicationReport): ApplicationReport;
  close(): void;
}

export async function openOperating(
  deps: Pick<ClusterContext, 'clock' | 'logger' | 'storage'> & {
    readonly client: JobManagerClient;
    readonly applications: FlinkApplications;
    readonly limits: { readonly jobs: number; readonly stopMillis: number; readonly savepointMillis: number };
  },
): Promise<Operating> {
  const { clock, limits, applications } = deps;
  const records = await openJobRecords({ ...deps, now: clock.now, limit: limits.jobs });
  const stops = createStops({ ...deps, records, changed: applications.changed });
  return {
    ending: createEnding({ ...deps, stops }),
    complete: (report) => completed(report, records.get(report.id)),
    close: stops.close,
  };
}

function completed(report: ApplicationReport, record: JobRecord | undefined): ApplicationReport {
  const location = record?.stop?.location;
  if (location === undefined || report.state !== 'FINISHED') return report;
  return { ...report, diagnostics: `Stopped with the savepoint ${location}` };
}
