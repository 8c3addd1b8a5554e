import t from 'tap';
import { clusterContract } from '../../../packages/contracts/index.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { flinkDouble } from '../../doubles/flink/index.js';
import { sqlGatewayDouble } from '../../doubles/flink/sql-gateway.js';
import { jarOf } from '../../helpers/class-bytes.js';
import { testFolder } from '../../helpers/folder.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { packageContent } from '../../helpers/package-content.js';

const double = await flinkDouble();
const sql = await sqlGatewayDouble(double);
const directory = testFolder(t);
t.teardown(async () => {
  await sql.stop();
  await double.close();
});
double.settings['jobmanager.scheduler'] = 'adaptive';
for (const option of ['rest.flamegraph.enabled', 'rest.profiling.enabled']) double.settings[option] = 'true';
double.profiling.outcome = 'lasts';

await clusterContract(t, {
  create: async () => {
    // Each test begins with a cluster that runs nothing.
    for (const job of double.jobs.values()) double.end(job, 'CANCELED');
    return flinkCluster({
      jobManagers: double.jobManagers[0]?.url ?? '',
      sqlGateway: sql.url,
      pollMillis: 100,
      user: 'ann',
      directory,
      limits: { statsEveryMillis: 50 },
    });
  },
  context: async () => silentContext([]),
  property: { operatorName: 'plus one', name: 'parallelism', value: 2, refused: 'many' },
  request: {
    user: 'ann',
    name: 'contract',
    packaged: { name: 'contract', type: 'class', file: 'app/jobs.jar', className: 'org.example.Words' },
    packageContent: packageContent({ 'app/jobs.jar': jarOf([{ name: 'org.example.Words' }]) }),
    application: {
      operators: [
        { name: 'Source: numbers', class: '' },
        { name: 'plus one', class: '' },
      ],
      streams: [
        {
          name: 'numbers',
          source: { operatorName: 'Source: numbers', portName: 'out0' },
          sinks: [{ operatorName: 'plus one', portName: 'in0' }],
        },
      ],
    },
  },
  sample: {
    sql: {
      kind: 'sql',
      statements: [
        "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen')",
        "CREATE TABLE copies (word STRING) WITH ('connector' = 'print')",
        'INSERT INTO copies SELECT word FROM words',
      ],
    },
    query: 'SELECT word FROM words',
    rows: 3,
  },
  unknownId: '0123456789abcdef0123456789abcdef',
  windows: 'none',
  timeoutMillis: 20_000,
});
