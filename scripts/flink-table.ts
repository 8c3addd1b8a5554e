import { flinkCluster } from '@headgate/flink';
import { allCapabilities, type Capability, capabilitiesOf } from '../lib/http/capabilities.js';
import { type ListedRoute, listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';

/** A part of the API that a cluster may have or lack, and how Flink has it. */
export interface FlinkFacet {
  /** `undefined`: what every cluster has. */
  readonly capability: Capability | undefined;
  /** Ids of those that need it. */
  readonly operations: readonly string[];
  readonly isOffered: boolean;
}

/** Why there is no such part of the API over Flink. Those that a driver comes to offer are taken out: the table says no. */
const because: Partial<Record<Capability, string>> = {
  'resourceManager.permissions':
    'Flink keeps no rights with its jobs: the gateway does, and the operations work',
  'resourceManager.packageOperators': 'a job jar has a program, and no operators that could be put together',
  'resourceManager.forwarder': 'there is no resource manager behind it: a job has its own JobManager',
  'master.containerControl': 'a task manager has parts of other jobs too, and the REST API ends none',
  'master.physicalProperties': 'a vertex has one parallelism, set through its logical operator',
  'master.planEditor': 'the graph of a job is fixed from its launch on',
  'master.recorder': 'Flink hands out no records of a running job',
  'master.loggers': 'levels are set in the log4j files of its processes',
  'master.operatorClasses': 'Flink does not tell classes of operators',
};

/** Paths below which every operation asks the cluster. */
const places = ['/ws/v2/about', '/ws/v2/applications', '/ws/v2/cluster'];
const isAbout = ({ route }: ListedRoute) => places.some((place) => route.path.startsWith(place));

/** All of the API that asks a cluster, by the facet that it needs. */
export function flinkFacets(): FlinkFacet[] {
  const offered = capabilitiesOf(
    flinkCluster({
      jobManagers: 'http://jm.example.org:8081',
      sqlGateway: 'http://sql.example.org:8083',
      directory: '/var/lib/headgate/flink',
    }),
  );
  const listed = listRoutes(routes);
  const needing = (capability: Capability | undefined) =>
    listed.filter((one) => one.route.requires === capability && (capability !== undefined || isAbout(one)));
  return [undefined, ...allCapabilities].map((capability) => {
    const isOffered = capability === undefined || offered.has(capability);
    return { capability, operations: needing(capability).map(({ id }) => id), isOffered };
  });
}

/** What of the API there is over Flink, as the driver says it: each facet with the operations that need it. */
export function flinkTable(): string {
  const rows = flinkFacets().map(({ capability, operations, isOffered }) => {
    const ids = operations.map((id) => `\`${id}\``).join(', ') || 'as part of others';
    const says = isOffered ? 'yes' : `no: ${(capability && because[capability]) ?? ''}`;
    return `| ${capability ? `\`${capability}\`` : 'none'} | ${ids} | ${says} |`;
  });
  return ['| Facet | Operations that need it | Flink |', '| --- | --- | --- |', ...rows].join('\n');
}
