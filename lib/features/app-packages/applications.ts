import * as z from 'zod';
import { JsonText } from '../../formats/json-text.js';
import type { SentJson } from '../../http/body.js';
import type { Tagged } from '../../http/conditional.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import {
  AlreadyExists,
  BadRequest,
  GatewayError,
  type InputIssue,
  NotFound,
  WouldEmpty,
} from '../../model/errors.js';
import type { PackagedDefinition } from '../../model/sql-application.js';
import { type CheckDeps, createApplicationChecks, definitionTextOf, sentence } from './application-checks.js';
import { defaultArchiveLimits } from './archive/limits.js';
import { checkName } from './archive/names.js';
import { traceOf } from './contents.js';
import type { AppPackages } from './directory.js';
import { edited } from './merge.js';
import { type AppFault, appMetaOf } from './meta.js';
import { type FoundPackage, type OpenPackage, packageLabel } from './open-package.js';
import { packageContent } from './package-content.js';
import type { AppRef, PackageApp, PackageAppMeta, PackageRef } from './schema.js';
import type { ContainedApp, PackageContents } from './stored.js';

/** What in a package can be launched; definitions of JSON applications can be edited. */
export interface PackageApplications {
  listApplications(call: Call, ref: PackageRef): Promise<Tagged<PackageAppMeta[]>>;
  getApplication(
    call: Call,
    ref: AppRef,
    options: { includeDescription: boolean },
  ): Promise<Tagged<PackageApp>>;
  /** Creates or replaces. What can't run yet is kept all the same, and `value` says why it can't. */
  putApplication(
    call: ConditionalCall,
    ref: AppRef,
    definition: SentJson<PackagedDefinition>,
    options: { errorIfExists: boolean },
  ): Promise<Tagged<string | undefined>>;
  /** Resolves the digest of the package that this makes. */
  removeApplication(call: ConditionalCall, ref: AppRef): Promise<string>;
  /**
   * Why applications of the package can't run, by their names, beyond what its contents tell. Opens the package only
   * when one of them was not checked before.
   */
  faults(
    call: Call,
    found: FoundPackage & { readonly contents: PackageContents },
  ): Promise<ReadonlyMap<string, AppFault>>;
}

interface ApplicationsDeps extends CheckDeps {
  readonly packages: AppPackages;
  readonly clock: Clock;
}

export function createPackageApplications(deps: ApplicationsDeps): PackageApplications {
  const { packages, cluster, clock } = deps;
  const checks = createApplicationChecks(deps);

  return {
    listApplications: (call, ref) =>
      packages.reading(call, ref, async (pkg) => {
        const faults = await checks.faults(pkg, call.signal);
        const value = pkg.contents.applications.map((app) => ({
          ...appMetaOf(pkg.contents, app, false),
          ...faults.get(app.name),
        }));
        return { value, digest: pkg.stored.digest };
      }),

    getApplication: (call, { appName, ...ref }, { includeDescription }) =>
      packages.reading(call, ref, async (pkg) => {
        const app = applicationIn(pkg.contents, appName, ref);
        const meta = appMetaOf(pkg.contents, app, includeDescription);
        const { digest } = pkg.stored;
        if (app.type !== 'json')
          return { value: { ...meta, ...(await describedByCode(cluster, pkg, app, call.signal)) }, digest };
        const text = await definitionTextOf(pkg, app.file);
        if (app.error !== undefined) return { value: { ...meta, fileContent: text }, digest };
        const fileContent = new JsonText(text);
        return {
          value: { ...meta, fileContent, ...(await checks.described(pkg, app, text, call.signal)) },
          digest,
        };
      }),

    async putApplication(call, { appName, ...ref }, { value: definition, text }, { errorIfExists }) {
      const file = `app/${appName}.json`;
      if (appName.includes('/'))
        throw new BadRequest('NAME_NOT_VALID', 'The name of an application holds no slash', [
          { path: 'params.appName', message: 'holds a slash' },
        ]);
      checkName(file, defaultArchiveLimits, 'NAME_NOT_VALID');
      let problems: readonly InputIssue[] = [];
      const { digest } = await packages.changing(call, ref, async (pkg) => {
        const existing = pkg.contents.applications.find(({ name }) => name === appName);
        if (existing && errorIfExists)
          throw new AlreadyExists(
            `There is an application ${JSON.stringify(appName)} in ${packageLabel(ref)} already`,
          );
        if (existing && existing.type !== 'json') throw notJson(existing, 'replaced');
        if (existing && isEmpty(definition) && call.ifMatch === undefined)
          await requireNothingToLose(pkg, existing);
        problems = await checks.problems(pkg, definition, call.signal);
        const content = Buffer.from(text);
        return edited(await pkg.toCopy(), { name: file, content, modified: new Date(clock.now()) });
      });
      return { value: problems.length > 0 ? sentence(problems) : undefined, digest };
    },

    async faults(call, { kept, contents }) {
      const known = checks.remembered(kept.value, contents.applications);
      // Of the package as it is then: it may have changed, and is told with the faults of its applications next time.
      return known ?? packages.reading(call, kept.value, (pkg) => checks.faults(pkg, call.signal));
    },

    async removeApplication(call, { appName, ...ref }) {
      const { digest } = await packages.changing(call, ref, async (pkg) => {
        const app = applicationIn(pkg.contents, appName, ref);
        if (app.type === 'class') throw notJson(app, 'deleted');
        return edited(await pkg.toCopy(), { name: `app/${app.file}`, modified: new Date(clock.now()) });
      });
      return digest;
    },
  };
}

export function applicationIn(contents: PackageContents, appName: string, ref: PackageRef): ContainedApp {
  const found = contents.applications.find(({ name }) => name === appName);
  if (found) return found;
  throw new NotFound(`application in ${packageLabel(ref)}`, appName);
}

const notJson = ({ name, type, file }: ContainedApp, what: string) =>
  new BadRequest(
    'APPLICATION_NOT_EDITABLE',
    `${JSON.stringify(name)} is a ${type} application in app/${file}: only JSON applications can be ${what} here; upload a package with another file instead`,
  );

const isEmpty = (definition: PackagedDefinition): boolean =>
  (definition.kind === 'sql' ? definition.statements : definition.operators).length === 0;

/** A console that could not show them saves an application without any. */
async function requireNothingToLose(pkg: OpenPackage, { name, file }: ContainedApp): Promise<void> {
  const before = HasParts.safeParse(
    await definitionTextOf(pkg, file)
      .then(JSON.parse)
      .catch(() => undefined),
  );
  const { operators = [], statements = [] } = before.data ?? {};
  const parts = statements.length > 0 ? `${statements.length} statements` : `${operators.length} operators`;
  if (statements.length + operators.length > 0)
    throw new WouldEmpty(
      `${JSON.stringify(name)} has ${parts}, and the new definition has none: read it first and send its ETag as If-Match, or delete the application`,
    );
}

const HasParts = z.object({
  operators: z.array(z.unknown()).catch([]),
  statements: z.array(z.unknown()).catch([]),
});

/** What `faults` gives while who is asked is too busy to tell. */
export const noneWhenBusy = (error: unknown): ReadonlyMap<string, AppFault> =>
  unlessSomebodyIsBusy(error) ?? new Map();

/** Only for drivers that run the code of packages to tell this. */
async function describedByCode(
  cluster: ClusterDriver,
  pkg: OpenPackage,
  { name, type, file, className }: ContainedApp,
  signal: AbortSignal,
): Promise<Pick<PackageApp, 'dag' | 'error' | 'errorStackTrace'>> {
  const { launcher } = cluster.resourceManager;
  const packaged = { name, type, file: `app/${file}`, ...(className === undefined ? {} : { className }) };
  const request = { packageContent: await packageContent(pkg), packaged };
  const told = await launcher?.plan?.(request, { signal }).catch(unlessSomebodyIsBusy);
  if (!told) return {};
  if ('plan' in told) return { dag: told.plan };
  return {
    error: told.error,
    errorStackTrace: told.stackTrace ?? traceOf(told.error, file),
  };
}

/** The rest of the application is told all the same. */
function unlessSomebodyIsBusy(error: unknown): undefined {
  if (error instanceof GatewayError && (error.status === 429 || error.status >= 502)) return undefined;
  throw error;
}
