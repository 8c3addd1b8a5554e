import { type CallOptions, Conflict } from 'headgate/driver-kit';
import { hasEnded, type YarnApplications } from '../manager/applications.js';
import type { LaunchRecords } from './records.js';

/** One application of a name and user at a time, those included that are being launched. */
export function createNameClaims(applications: YarnApplications, records: LaunchRecords) {
  /** User and name of what is being launched. */
  const claimed = new Set<string>();
  const ownerOf = (id: string, user: string) => records.get(id)?.user ?? user;
  return {
    /** Resolves the function that lets go. */
    async claim(user: string, name: string, options: CallOptions | undefined): Promise<() => void> {
      const key = JSON.stringify([user, name]);
      const running = await applications.list({ ...options, activeOnly: true });
      const isTaken = running.some(
        ({ report }) => !hasEnded(report) && report.name === name && ownerOf(report.id, report.user) === user,
      );
      if (isTaken || claimed.has(key))
        throw new Conflict(
          'APPLICATION_NAME_TAKEN',
          `${user} already runs an application named ${JSON.stringify(name)}`,
        );
      claimed.add(key);
      return () => claimed.delete(key);
    },
  };
}
