import { BadRequest, type Launcher, type LaunchRequest } from 'headgate/driver-kit';
import type { FlinkApplications } from '../jobs/applications.js';
import { queueName } from '../jobs/reports.js';
import type { Resources } from '../rest/resources.js';
import type { KeptJars } from './kept-jars.js';
import { launchSettings, nameProperty, propertiesInForce, savepointProperty } from './launch-properties.js';
import { createNameClaims } from './name-claims.js';
import type { JobRecords } from './records.js';
import type { RestorePoints } from './restore-points.js';
import { orderOf } from './run-order.js';
import { jarMissing, type Launch, type Submission } from './submission.js';

interface LauncherDeps {
  readonly resources: Pick<Resources, 'configuration'>;
  readonly applications: FlinkApplications;
  readonly records: JobRecords;
  readonly restorePoints: RestorePoints;
  readonly jars: KeptJars;
  readonly submission: Submission;
  /** Bytes. */
  readonly jarsBytes: number;
}

/** Launches programs of jars: each is one job, whose jar is kept for another time. */
export function createLauncher(
  deps: LauncherDeps,
): Required<Pick<Launcher, 'classes' | 'launch' | 'restart'>> {
  const { records, restorePoints, jars, submission } = deps;
  const names = createNameClaims(deps.applications, records);
  /** Jars of launches that no record names yet. */
  const underWay = new Map<symbol, string>();

  /** Its name, jar and properties are those that count. */
  async function start(launch: Launch, signal: AbortSignal | undefined): Promise<string> {
    const settings = launchSettings(launch.properties);
    const version = (await deps.resources.configuration.get())['flink-version'];
    const order = orderOf(launch, settings, version);
    const { user, name } = launch;
    const claim = { user, name, jobId: submission.unsettled(launch) };
    return names.holding(claim, () => submission.submit(launch, order, signal));
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

    async launch(request, { signal } = {}) {
      const { entryClass, file, content } = programOf(request);
      requireQueue(request.queue);
      const properties = propertiesInForce(request);
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
        ...{ entryClass, jar, properties },
        ...(savepoint === undefined ? {} : { savepoint }),
      };
      return holding(jar, async () =>
        start({ ...told, jarBytes: await jars.keep(content, file, signal) }, signal),
      );
    },

    async restart(appId, { user, queue, properties: given = {} }, { signal } = {}) {
      await restorePoints.requireEnded(appId, signal);
      const before = records.get(appId)?.launch;
      if (!before) throw jarMissing(appId);
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

function programOf({ packaged, packageContent: content }: LaunchRequest) {
  if (packaged?.type === 'class' && packaged.className !== undefined && content)
    return { entryClass: packaged.className, file: packaged.file, content };
  const what = packaged ? `${JSON.stringify(packaged.name)} is ${described[packaged.type]}` : 'this is none';
  throw new BadRequest(
    'APPLICATION_TYPE_NOT_SUPPORTED',
    `Flink runs classes with a main method in jars of packages, and ${what}`,
  );
}

const described = {
  json: 'a definition in JSON',
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
