import { type CallOptions, type ClusterAbout, isSecretName, type Queue } from 'headgate/driver-kit';
import * as z from 'zod';
import { readAnswer } from '../wire/json.js';
import { Quantity, Text } from '../wire/values.js';
import { type ManagerClient, managerName } from './client.js';

const Info = z.object({
  clusterInfo: z.object({
    haState: Text,
    resourceManagerVersion: Text,
    resourceManagerBuildVersion: Text,
    hadoopVersion: Text,
    hadoopBuildVersion: Text,
    hadoopVersionBuiltOn: Text,
  }),
});

const Configuration = z.object({
  properties: z.array(z.object({ key: z.string(), value: z.string().nullish() })),
});

const Metrics = z.object({ clusterMetrics: z.object({ activeNodes: z.number() }) });

/** What the cluster is, and how it is set up. */
export function createFacts(manager: ManagerClient, managers: readonly string[]) {
  async function configuration({ signal }: CallOptions = {}): Promise<Record<string, string>> {
    const { text } = await manager.ask('/conf?format=json', { signal, ofAny: true });
    const { properties } = readAnswer(Configuration, text, managerName);
    return Object.fromEntries(
      properties.map(({ key, value }) => [key, isSecretName(key) ? '********' : (value ?? '')]),
    );
  }

  return {
    configuration,

    async about({ signal }: CallOptions = {}): Promise<Omit<ClusterAbout, 'engine'>> {
      const { text } = await manager.ask('/ws/v1/cluster/info', { signal, ofAny: true });
      const { clusterInfo: info } = readAnswer(Info, text, managerName);
      const settings = await configuration(signal ? { signal } : {}).catch(
        () => ({}) as Record<string, string>,
      );
      return {
        cluster: {
          version: info.hadoopVersion || info.resourceManagerVersion,
          buildDate: info.hadoopVersionBuiltOn,
          ...buildOf(info.hadoopBuildVersion || info.resourceManagerBuildVersion),
        },
        location: manager.active,
        securityEnabled: settings['hadoop.security.authentication'] === 'kerberos',
        haEnabled: managers.length > 1 || settings['yarn.resourcemanager.ha.enabled'] === 'true',
      };
    },

    async nodeCount({ signal }: CallOptions = {}): Promise<number> {
      const { text } = await manager.ask('/ws/v1/cluster/metrics', { signal });
      return readAnswer(Metrics, text, managerName).clusterMetrics.activeNodes;
    },

    async queues({ signal }: CallOptions = {}): Promise<Queue[]> {
      const { text } = await manager.ask('/ws/v1/cluster/scheduler', { signal });
      return queuesOf(readAnswer(Scheduler, text, managerName).scheduler.schedulerInfo);
    },
  };
}

/** `{version} from {revision} by {user} source checksum {sum}` */
function buildOf(text: string): { buildRevision: string; buildUser: string; buildVersion: string } {
  const [, buildRevision = '', buildUser = ''] = / from (\S+) by (\S+)/.exec(text) ?? [];
  return { buildRevision, buildUser, buildVersion: text };
}

interface QueueInfo {
  queueName?: string | undefined;
  state?: string | undefined;
  qstate?: string | undefined;
  capacity?: number | undefined;
  usedCapacity?: number | undefined;
  maxCapacity?: number | undefined;
  queues?: { queue?: QueueInfo[] | undefined } | null | undefined;
  rootQueue?: QueueInfo | undefined;
  childQueues?: QueueInfo[] | { queue?: QueueInfo[] | undefined } | undefined;
}

const QueueInfo: z.ZodType<QueueInfo> = z.lazy(() =>
  z.object({
    queueName: z.string().optional(),
    state: z.string().optional(),
    qstate: z.string().optional(),
    // May be the text "NaN".
    capacity: Quantity,
    usedCapacity: Quantity,
    maxCapacity: Quantity,
    queues: z.object({ queue: z.array(QueueInfo).optional() }).nullish(),
    rootQueue: QueueInfo.optional(),
    childQueues: z.union([z.array(QueueInfo), z.object({ queue: z.array(QueueInfo).optional() })]).optional(),
  }),
);
const Scheduler = z.object({ scheduler: z.object({ schedulerInfo: QueueInfo }) });

/** The queues that applications are put into: the leaves of a capacity or fair scheduler, the one of a plain one. */
function queuesOf(info: QueueInfo): Queue[] {
  if (info.rootQueue) return queuesOf(info.rootQueue);
  const { childQueues } = info;
  const children =
    info.queues?.queue ?? (Array.isArray(childQueues) ? childQueues : childQueues?.queue) ?? [];
  if (children.length > 0) return children.flatMap(queuesOf);
  return [
    {
      name: info.queueName ?? 'default',
      state: (info.state ?? info.qstate) === 'STOPPED' ? 'STOPPED' : 'RUNNING',
      capacity: info.capacity ?? 0,
      currentCapacity: info.usedCapacity ?? 0,
      maxCapacity: info.maxCapacity ?? info.capacity ?? 0,
    },
  ];
}
