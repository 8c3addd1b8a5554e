import type { ApplicationReport } from '../../../interfaces/cluster.js';
import { serviceOf } from './engine-packages.js';

/** What of an application says which service it runs. */
type Launched = Pick<ApplicationReport, 'id' | 'finalStatus' | 'appPackageSource'>;

/**
 * Which of these applications runs which service. `lifeIds`: the applications that were launched for the services, by name;
 * one whose id nobody had time to keep is found by its package, which belongs to the service.
 */
export function runningAs<Report extends Launched>(
  applications: readonly Report[],
  lifeIds: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, Report> {
  const names = new Map([...lifeIds].flatMap(([name, id]) => (id === undefined ? [] : [[id, name]])));
  const found = new Map<string, Report>();
  for (const report of applications) {
    if (report.finalStatus !== 'UNDEFINED') continue;
    const name = names.get(report.id) ?? serviceOf(report.appPackageSource?.user);
    if (name !== undefined && lifeIds.has(name)) found.set(name, report);
  }
  return found;
}
