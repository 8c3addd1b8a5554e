import { randomBytes } from 'node:crypto';
import { BadRequest, type Planner } from 'headgate/driver-kit';
import { plannedGraph } from '../observe/planned.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import type { JarHolds } from './jar-holds.js';
import { planJar } from './jar-run.js';
import type { KeptJars } from './kept-jars.js';
import { launchSettings, nameProperty, propertiesInForce } from './launch-properties.js';
import { programOf } from './program.js';
import { orderOf } from './run-order.js';
import type { SqlPrograms } from './sql-program.js';
import { programMissing } from './submission.js';

/** What programs of jars come to: Flink runs their `main` within the JobManager, up to where it would begin the job. */
export function createPlanner(deps: {
  readonly client: JobManagerClient;
  readonly resources: Pick<Resources, 'configuration'>;
  readonly jars: KeptJars;
  readonly sql: SqlPrograms;
  readonly holding: JarHolds;
}): Planner {
  const { client, resources, jars, sql, holding } = deps;
  return {
    async plan(request, { signal } = {}) {
      const { file, content, entryClass } = programOf(request, sql);
      if (entryClass === undefined) throw noPlanOfSql(request.name);
      const properties = propertiesInForce(request);
      const settings = launchSettings(properties);
      const version = (await resources.configuration.get())['flink-version'];
      const name = properties[nameProperty] ?? request.name;
      // From which state it would go on makes no other plan.
      const fresh = { ...settings, allowNonRestoredState: false };
      const order = orderOf({ entryClass, name }, fresh, version);
      const key = jars.keyOf(content, file);
      return holding(key, async () => {
        await jars.keep(content, file, signal);
        const jar = await jars.toSend(key);
        if (!jar) throw programMissing(request.name);
        const planId = randomBytes(16).toString('hex');
        return plannedGraph(
          await planJar(client, planId, jar, order, signal).catch((error: unknown) => {
            throw withName(error, request.name);
          }),
        );
      });
    },
  };
}

const noPlanOfSql = (name: string): BadRequest =>
  new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    `${name} is in SQL, of which Flink tells no graph before its launch: sample it with EXPLAIN to read in words what becomes of a statement`,
  );

/** A reason of the program's own, such as an index out of bounds, would be anybody's. */
function withName(error: unknown, name: string): unknown {
  if (!(error instanceof BadRequest) || error.code !== 'ENGINE_REFUSED') return error;
  return new BadRequest('ENGINE_REFUSED', `${name} can't be planned. ${error.message}`);
}
