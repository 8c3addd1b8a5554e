import { flinkCluster } from '@headgate/flink';
import { allCapabilities, type Capability, capabilitiesOf } from '../lib/http/capabilities.js';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';

/** Why there is no such part of the API over Flink. Those that a driver comes to offer are taken out: the table says no. */
const because: Partial<Record<Capability, string>> = {
  'resourceManager.permissions':
    'Flink keeps no rights with its jobs: the gateway does, and the operations work',
  'resourceManager.packageOperators': 'a job jar has a program, and no operators that could be put together',
  'resourceManager.forwarder': 'there is no resource manager behind it: a job has its own JobManager',
  'master.planEditor': 'the graph of a job is fixed from its launch on',
  'master.recorder': 'Flink hands out no records of a running job',
  'master.loggers': 'levels are set in the log4j files of its processes',
  'master.operatorClasses': 'Flink does not tell classes of operators',
};

/** What of the API there is over Flink, as the driver says it: each facet with the operations that need it. */
export function flinkTable(): string {
  const offered = capabilitiesOf(
    flinkCluster({
      jobManagers: 'http://jm.example.org:8081',
      sqlGateway: 'http://sql.example.org:8083',
      directory: '/var/lib/headgate/flink',
    }),
  );
  const listed = listRoutes(routes);
  const rows = allCapabilities.map((capability) => {
    const operations = listed
      .filter(({ route }) => route.requires === capability)
      .map(({ id }) => `\`${id}\``);
    const why = offered.has(capability) ? 'yes' : `no: ${because[capability] ?? ''}`;
    return `| \`${capability}\` | ${operations.join(', ') || 'as part of others'} | ${why} |`;
  });
  return ['| Facet | Operations that need it | Flink |', '| --- | --- | --- |', ...rows].join('\n');
}
