import type { ApplicationReport, ClusterContext } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import type { PropertyChange } from '../observe/derived-events.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import { createDisposals } from './disposals.js';
import { createEnding, type Ending } from './ending.js';
import { openJobRecords } from './records.js';
import { createRescaling, type Rescaling } from './rescaling.js';
import { createRunningJobs } from './running.js';
import { createSavepointBook } from './savepoint-book.js';
import { createSavepointOrders } from './savepoint-orders.js';
import { createSavepoints, type Savepoints } from './savepoints.js';
import { createStops } from './stops.js';

/** What changes jobs, and what is known of them by that. */
export interface Operating {
  readonly ending: Ending;
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
    readonly resources: Resources;
    readonly applications: FlinkApplications;
    readonly limits: {
      readonly jobs: number;
      readonly stopMillis: number;
      readonly savepointMillis: number;
      readonly disposalMillis: number;
      readonly savepoints: number;
    };
  },
): Promise<Operating> {
  const { clock, limits, applications } = deps;
  const closing = new AbortController();
  const records = await openJobRecords({ ...deps, now: clock.now, limit: limits.jobs });
  const running = createRunningJobs(applications);
  const book = createSavepointBook({ ...deps, records, limit: limits.savepoints });
  const ends = { mostMillis: limits.savepointMillis, closing: closing.signal };
  const orders = createSavepointOrders({ ...deps, ...ends, book, changed: applications.changed });
  const disposals = createDisposals({ ...deps, ...ends });
  const stops = createStops({ orders, limits });
  return {
    ending: createEnding({ ...deps, running, stops }),
    savepoints: createSavepoints({ ...deps, running, book, orders, disposals }),
    properties: createRescaling({ ...deps, running, records }),
    changes: (jobId) => records.get(jobId)?.changes ?? [],
    complete(report) {
      const location = book.of(report.id).findLast(({ isOfStop }) => isOfStop)?.location;
      if (location === undefined || report.state !== 'FINISHED') return report;
      return { ...report, diagnostics: `Stopped with the savepoint ${location}` };
    },
    close: () => closing.abort(),
  };
}
