import { BadRequest, type Launcher } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { queueName } from '../jobs/reports.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
import type { JarHolds } from './jar-holds.js';
import { runJar } from './jar-run.js';
import type { KeptJars } from './kept-jars.js';
import {
  type LaunchSettings,
  launchSettings,
  nameProperty,
  propertiesInForce,
  savepointProperty,
} from './launch-properties.js';
import { createNameClaims } from './name-claims.js';
import { programOf } from './program.js';
import type { JobRecords } from './records.js';
import type { RestorePoints } from './restore-points.js';
import { orderOf } from './run-order.js';
import type { SqlPrograms } from './sql-program.js';
import { type Launch, programMissing, type Run, type Submission } from './submission.js';

interface LauncherDeps {
  readonly client: JobManagerClient;
  readonly resources: Pick<Resources, 'configuration'>;
  readonly applications: FlinkApplications;
  readonly records: JobRecords;
  readonly restorePoints: RestorePoints;
  readonly jars: KeptJars;
  readonly sql: SqlPrograms;
  readonly submission: Submission;
  readonly holding: JarHolds;
}

/** Launches programs of jars and applications in SQL: each is one job, whose jar or file is kept for another time. */
export function createLauncher(
  deps: LauncherDeps,
): Required<Pick<Launcher, 'classes' | 'launch' | 'restart' | 'checkSql'>> {
  const { records, restorePoints, jars, sql, submission, holding } = deps;
  const names = createNameClaims(deps.applications, records);

  /** Its name, jar and properties are those that count. */
  async function start(launch: Launch, signal: AbortSignal | undefined): Promise<string> {
    const run = await runOf(deps, launch, launchSettings(launch.properties));
    const { user, name } = launch;
    const claim = { user, name, jobId: submission.unsettled(launch) };
    return names.holding(claim, () => submission.submit(launch, run, signal));
  }

  return {
    classes: 'main',
    checkSql: sql.check,

    async launch(request, { signal } = {}) {
      const { file, content, weakest, ...program } = programOf(request, sql);
      requireQueue(request.queue);
      const properties = { ...weakest, ...propertiesInForce(request) };
      const { savepoint: named } = launchSettings(properties);
      const { originalAppId } = request;
      const savepoint = await stateFor(restorePoints, originalAppId, named, signal);
      const jar = jars.keyOf(content, file);
      const { user, packageSource, isSystemApp = false } = request;
      const told = {
        user,
        name: properties[nameProperty] ?? request.name,
        isSystemApp,
        ...(packageSource ? { packageSource: { ...packageSource } } : {}),
        ...{ ...program, jar, properties },
        ...(savepoint === undefined ? {} : { savepoint }),
      };
      return holding(jar, async () =>
        start({ ...told, jarBytes: await jars.keep(content, file, signal) }, signal),
      );
    },

    async restart(appId, { user, queue, properties: given = {} }, { signal } = {}) {
      await restorePoints.requireEnded(appId, signal);
      const before = records.get(appId)?.launch;
      if (!before) throw programMissing(appId);
      requireQueue(queue);
      const changed = propertiesInForce({ properties: given });
      const { [savepointProperty]: _, ...kept } = before.properties;
      const properties = { ...kept, ...changed };
      const named = launchSettings(properties).savepoint;
      const savepoint = await stateFor(restorePoints, appId, named, signal);
      const { askedAt: __, acceptedAt: ___, savepoint: ____, ...same } = before;
      const launch: Launch = {
        ...{ ...same, user, properties },
        name: changed[nameProperty] ?? before.name,
        ...(savepoint === undefined ? {} : { savepoint }),
      };
      return holding(before.jar, () => start(launch, signal));
    },
  };
}

async function runOf(
  { client, resources, jars, sql }: Pick<LauncherDeps, 'client' | 'resources' | 'jars' | 'sql'>,
  launch: Launch,
  settings: LaunchSettings,
): Promise<Run> {
  const { entryClass } = launch;
  if (entryClass === undefined) return sql.run(launch, settings);
  const version = (await resources.configuration.get())['flink-version'];
  const order = orderOf({ ...launch, entryClass }, settings, version);
  return async (jobId, signal) => {
    const jar = await jars.toSend(launch.jar);
    if (!jar) return { is: 'refused', error: programMissing(launch.name) };
    return runJar(client, jobId, jar, order, signal);
  };
}

/** The savepoint that was named goes before what the original left. */
async function stateFor(
  restorePoints: RestorePoints,
  originalAppId: string | undefined,
  named: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (originalAppId === undefined) return named;
  if (named === undefined) return restorePoints.of(originalAppId, signal);
  await restorePoints.requireEnded(originalAppId, signal);
  return named;
}

function requireQueue(queue: string | undefined): void {
  if (queue === undefined || queue === queueName) return;
  throw new BadRequest(
    'UNKNOWN_QUEUE',
    `There is no queue ${JSON.stringify(queue)}; Flink has ${JSON.stringify(queueName)}`,
  );
}
