import { Conflict } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { hasEnded } from '../jobs/states.js';
import { nameProperty } from './launch-properties.js';
import type { JobRecords } from './records.js';

interface Claim {
  readonly user: string;
  readonly name: string;
  /** The job that it is for, where that may run already. */
  readonly jobId?: string | undefined;
}

/** One job of a name and user at a time, those included that are being launched. A program may give its job another name. */
export function createNameClaims(applications: FlinkApplications, records: JobRecords) {
  /** User and name of what is being launched. */
  const claimed = new Set<string>();

  async function isTaken({ user, name, jobId }: Claim): Promise<boolean> {
    const running = await applications.list({ activeOnly: true });
    return running.some(({ report }) => {
      const launch = records.get(report.id)?.launch;
      const isNamed = report.name === name || launch?.name === name;
      return report.id !== jobId && isNamed && !hasEnded(report) && (launch?.user ?? report.user) === user;
    });
  }

  return {
    /** Rejects with `Conflict`. */
    async holding<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
      const key = JSON.stringify([claim.user, claim.name]);
      const taken = () =>
        new Conflict(
          'APPLICATION_NAME_TAKEN',
          `${claim.user} already runs a job named ${JSON.stringify(claim.name)}: end that one first, or give this one another name by ${nameProperty}`,
        );
      if (claimed.has(key)) throw taken();
      claimed.add(key);
      try {
        if (await isTaken(claim)) throw taken();
        return await work();
      } finally {
        claimed.delete(key);
      }
    },
  };
}
