import { type BuildInfo, type ClusterAbout, isSecretName, type Queue } from 'headgate/driver-kit';
import type { TaskManagerDetails } from '../jobs/allocations.js';
import { queueName } from '../jobs/reports.js';
import type { Resources } from '../rest/resources.js';

/** What the cluster is, and how it is set up. */
export interface ClusterFacts {
  about(): Promise<ClusterAbout>;
  configuration(): Promise<Record<string, string>>;
  queues(): Promise<Queue[]>;
  nodeCount(): Promise<number>;
}

const mask = '********';
/** Flink masks some of its own, and knows nothing of what is set for others: `s3.access.key`. */
const isSecret = (name: string): boolean =>
  isSecretName(name) ||
  /[.-](?:access|api|account|service|private)?-?key\b|auth-params|jaas|http-headers/i.test(name);

export function createFacts(deps: {
  readonly resources: Resources;
  readonly details: TaskManagerDetails;
  readonly jobManagers: readonly string[];
  readonly active: () => string;
}): ClusterFacts {
  const { resources, details } = deps;

  async function configuration(): Promise<Record<string, string>> {
    const settings = await resources.settings.get();
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, isSecret(name) ? mask : value]),
    );
  }

  return {
    configuration,

    async about() {
      const [told, settings] = await Promise.all([
        resources.configuration.get(),
        configuration().catch((): Record<string, string> => ({})),
      ]);
      const build = buildOf(told['flink-version'], told['flink-revision']);
      return {
        engine: build,
        cluster: build,
        location: deps.active(),
        securityEnabled: settings['security.ssl.rest.authentication-enabled'] === 'true',
        haEnabled:
          deps.jobManagers.length > 1 ||
          !['', 'none', undefined].includes(settings['high-availability.type']?.toLowerCase()),
      };
    },

    async queues() {
      const { 'slots-total': all, 'slots-available': free } = await resources.overview.get();
      return [
        {
          name: queueName,
          state: 'RUNNING',
          capacity: 100,
          currentCapacity: all === 0 ? 0 : (100 * (all - free)) / all,
          maxCapacity: 100,
        },
      ];
    },

    nodeCount: async () => new Set((await details.all()).map(({ path }) => path.split(/[@:/]+/)[2])).size,
  };
}

/** `c0f8d1a @ 2026-06-14T16:29:03+02:00` */
function buildOf(version: string, revision: string): BuildInfo {
  const [buildRevision = '', buildDate = ''] = revision.split(' @ ');
  return { version, buildRevision, buildDate, buildVersion: version, buildUser: '' };
}
