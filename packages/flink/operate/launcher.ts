import { BadRequest, type Launcher, type LaunchRequest, type PackageContent } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { queueName } from '../jobs/reports.js';
import type { JobManagerClient } from '../rest/client.js';
import type { Resources } from '../rest/resources.js';
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
  /** Bytes. */
  readonly jarsBytes: number;
}

/** Launches programs of jars and applications in SQL: each is one job, whose jar or file is kept for another time. */
export function createLauncher(
  deps: LauncherDeps,
): Required<Pick<Launcher, 'classes' | 'launch' | 'restart' | 'checkSql'>> {
  const { records, restorePoints, jars, sql, submission } = deps;
  const names = createNameClaims(deps.applications, records);
  /** Jars of launches that no record names yet. */
  const underWay = new Map<symbol, string>();

  /** Its name, jar and properties are those that count. */
  async function start(launch: Launch, signal: AbortSignal | undefined): Promise<string> {
    const run = await runOf(deps, launch, launchSettings(launch.properties));
    const { user, name } = launch;
    const claim = { user, name, jobId: submission.unsettled(launch) };
    return names.holding(claim, () => submission.submit(launch, run, signal));
  }

  async function holding<T>(jar: string, work: () => Promise<T>): Promise<T> {
    const held = Symbol(jar);
    underWay.set(held, jar);
    try {
      return await work();
    } finally {
      underWay.delete(held);
      await jars.prune(wantedJars(records, underWay.values(), deps.jarsBytes)).catch(() => undefined);
    }
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

interface Program {
  /** Absent: it is an application in SQL. */
  readonly entryClass?: string;
  readonly file: string;
  readonly content: PackageContent;
  /** Properties that everything else goes before. */
  readonly weakest?: Readonly<Record<string, string>>;
}

function programOf(
  { packaged, packageContent: content, sql }: LaunchRequest,
  programs: SqlPrograms,
): Program {
  if (sql && packaged && content) {
    programs.require(sql);
    return { file: packaged.file, content, weakest: sql.properties ?? {} };
  }
  if (packaged?.type === 'class' && packaged.className !== undefined && content)
    return { entryClass: packaged.className, file: packaged.file, content };
  const what = packaged ? `${JSON.stringify(packaged.name)} is ${described[packaged.type]}` : 'this is none';
  throw new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    `Flink runs classes with a main method in jars of packages, and applications in SQL, and ${what}`,
  );
}

const described = {
  json: 'a definition of operators in JSON',
  properties: 'a file of properties',
  class: 'in a jar that can not be read',
};

function requireQueue(queue: string | undefined): void {
  if (queue === undefined || queue === queueName) return;
  throw new BadRequest(
    'UNKNOWN_QUEUE',
    `There is no queue ${JSON.stringify(queue)}; Flink has ${JSON.stringify(queueName)}`,
  );
}

/** Those of the newest launches, as many as there is room for, and those that are needed now. */
function wantedJars(records: JobRecords, underWay: Iterable<string>, jarsBytes: number): ReadonlySet<string> {
  const wanted = new Set(underWay);
  let left = jarsBytes;
  const launches = [...records.all().values()].flatMap(({ launch }) => launch ?? []);
  for (const { jar, jarBytes } of launches.sort((a, b) => b.askedAt - a.askedAt)) {
    if (wanted.has(jar)) continue;
    left -= jarBytes;
    if (left < 0) break;
    wanted.add(jar);
  }
  return wanted;
}
