import { z } from 'zod';
import type { SentJson } from '../../core/body.js';
import {
  AlreadyExists,
  BadRequest,
  GatewayError,
  type InputIssue,
  NotFound,
  TimedOut,
  Unreachable,
} from '../../core/errors.js';
import { defaultJsonLimits, parseJson } from '../../core/json.js';
import type { Call } from '../../core/route.js';
import { wording } from '../../core/validate.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { PackageContent } from '../../interfaces/package.js';
import { ApplicationDefinition } from '../logical-plan/schema.js';
import { defaultArchiveLimits } from './archive/limits.js';
import { checkName } from './archive/names.js';
import type { AppPackages, ConditionalCall } from './directory.js';
import { dagOf } from './json-application/dag.js';
import {
  type PackageClasses,
  packageKnowledge,
  problemsInPackage,
} from './json-application/package-check.js';
import { edited } from './merge.js';
import { appMetaOf } from './meta.js';
import { type OpenPackage, packageLabel } from './open-package.js';
import { packageContent } from './package-content.js';
import type { AppRef, PackageApp, PackageAppMeta, PackageRef } from './schema.js';
import type { ContainedApp, PackageContents } from './stored.js';
import type { Tagged } from './tagged.js';

/** What in a package can be launched; definitions of JSON applications can be edited (spec 4.6). */
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
    definition: SentJson<ApplicationDefinition>,
    options: { errorIfExists: boolean },
  ): Promise<Tagged<string | undefined>>;
  /** Resolves the digest of the package that this makes. */
  removeApplication(call: ConditionalCall, ref: AppRef): Promise<string>;
}

export interface ApplicationsDeps {
  readonly packages: AppPackages;
  readonly cluster: ClusterDriver;
  readonly clock: Clock;
  /** Milliseconds that a driver may take to check a definition. */
  readonly checkMillis: number;
  readonly classesOf: (pkg: OpenPackage, signal: AbortSignal) => Promise<PackageClasses>;
}

export function createPackageApplications(deps: ApplicationsDeps): PackageApplications {
  const { packages, cluster, clock } = deps;
  /** By the id of the package's archive and the file. */
  const checked = new Map<string, readonly InputIssue[]>();

  /** What definitions are held against; read when it is first asked for. */
  function factsOf(pkg: OpenPackage, signal: AbortSignal): () => Promise<Facts> {
    let facts: Promise<Facts> | undefined;
    const read = async () => ({
      classes: await deps.classesOf(pkg, signal),
      content: await packageContent(pkg),
    });
    return () => {
      facts ??= read();
      return facts;
    };
  }

  const problemsOf = async (definition: ApplicationDefinition, facts: Facts) =>
    problemsInPackage(cluster, definition, { ...facts, millis: deps.checkMillis });

  async function rememberedProblems(
    { stored }: OpenPackage,
    { file }: ContainedApp,
    look: () => Promise<readonly InputIssue[]>,
  ): Promise<readonly InputIssue[]> {
    const key = `${stored.id}/${file}`;
    const before = checked.get(key);
    if (before) return before;
    const problems = await look();
    checked.set(key, problems);
    const [oldest] = checked.keys();
    if (checked.size > maxChecked && oldest !== undefined) checked.delete(oldest);
    return problems;
  }

  /** Only for drivers that run the code of packages to tell this. */
  async function describedByCode(
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
      ...(told.stackTrace === undefined ? {} : { errorStackTrace: told.stackTrace }),
    };
  }

  return {
    listApplications: (call, ref) =>
      packages.reading(call, ref, async (pkg) => {
        const facts = factsOf(pkg, call.signal);
        const value: PackageAppMeta[] = [];
        for (const app of pkg.contents.applications) {
          const meta = appMetaOf(pkg.contents, app, false);
          const isOpen = app.type === 'json' && app.error === undefined;
          const look = async () => problemsOf(definitionIn(await textOf(pkg, app.file)), await facts());
          value.push(isOpen ? { ...meta, ...(await told(() => rememberedProblems(pkg, app, look))) } : meta);
        }
        return { value, digest: pkg.stored.digest };
      }),

    getApplication: (call, { appName, ...ref }, { includeDescription }) =>
      packages.reading(call, ref, async (pkg) => {
        const app = applicationIn(pkg.contents, appName, ref);
        const meta = appMetaOf(pkg.contents, app, includeDescription);
        const { digest } = pkg.stored;
        if (app.type !== 'json')
          return { value: { ...meta, ...(await describedByCode(pkg, app, call.signal)) }, digest };
        const fileContent = await textOf(pkg, app.file);
        if (app.error !== undefined) return { value: { ...meta, fileContent }, digest };
        const value: PackageApp = { ...meta, fileContent };
        const errors = await told(async () => {
          const definition = definitionIn(fileContent);
          const facts = await factsOf(pkg, call.signal)();
          value.dag = dagOf(definition, packageKnowledge(facts.classes));
          return rememberedProblems(pkg, app, () => problemsOf(definition, facts));
        });
        return { value: { ...value, ...errors }, digest };
      }),

    async putApplication(call, { appName, ...ref }, { value: definition, text }, { errorIfExists }) {
      const file = `app/${appName}.json`;
      if (appName.includes('/'))
        throw new BadRequest('The name of an application holds no slash', [
          { path: 'params.appName', message: 'holds a slash' },
        ]);
      checkName(file, defaultArchiveLimits);
      let problems: readonly InputIssue[] = [];
      const { digest } = await packages.changing(call, ref, async (pkg) => {
        const existing = pkg.contents.applications.find(({ name }) => name === appName);
        if (existing && errorIfExists)
          throw new AlreadyExists(
            `There is an application ${JSON.stringify(appName)} in ${packageLabel(ref)} already`,
          );
        if (existing && existing.type !== 'json') throw notJson(existing, 'replaced');
        problems = await problemsOf(definition, await factsOf(pkg, call.signal)());
        const content = Buffer.from(text);
        return edited(await pkg.archive(), { name: file, content, modified: new Date(clock.now()) });
      });
      return { value: problems.length > 0 ? sentence(problems) : undefined, digest };
    },

    async removeApplication(call, { appName, ...ref }) {
      const { digest } = await packages.changing(call, ref, async (pkg) => {
        const app = applicationIn(pkg.contents, appName, ref);
        if (app.type === 'class') throw notJson(app, 'deleted');
        return edited(await pkg.archive(), { name: `app/${app.file}`, modified: new Date(clock.now()) });
      });
      return digest;
    },
  };
}

interface Facts {
  readonly classes: PackageClasses;
  readonly content: PackageContent;
}

/** Results of checks that are remembered. */
const maxChecked = 2000;

export function applicationIn(contents: PackageContents, appName: string, ref: PackageRef): ContainedApp {
  const found = contents.applications.find(({ name }) => name === appName);
  if (found) return found;
  throw new NotFound(`application in ${packageLabel(ref)}`, appName);
}

export async function textOf(pkg: OpenPackage, file: string): Promise<string> {
  return (await pkg.read(`app/${file}`, defaultJsonLimits.maxBytes)).toString('utf8');
}

/** Throws for what has not the form of a definition. */
export const definitionIn = (text: string): ApplicationDefinition =>
  ApplicationDefinition.parse(parseJson(text, defaultJsonLimits), wording);

const notJson = ({ name, type, file }: ContainedApp, what: string) =>
  new BadRequest(
    `${JSON.stringify(name)} is a ${type} application in app/${file}: only JSON applications can be ${what} here; upload a package with another file instead`,
  );

/** What a definition that can't run says of itself; nothing when nobody could be asked. */
async function told(
  check: () => Promise<readonly InputIssue[]>,
): Promise<Pick<PackageApp, 'error' | 'errorStackTrace'>> {
  const problems = await check().catch(problemsIn);
  if (problems.length === 0) return {};
  return { error: sentence(problems), errorStackTrace: problems.map(line).join('\n') };
}

function problemsIn(error: unknown): readonly InputIssue[] {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  if (error instanceof BadRequest) return [{ path: '', message: error.message }];
  if (error instanceof Unreachable || error instanceof TimedOut) return [];
  throw error;
}

/** The rest of the application is told all the same. */
function unlessSomebodyIsBusy(error: unknown): undefined {
  if (error instanceof GatewayError && (error.status === 429 || error.status >= 502)) return undefined;
  throw error;
}

const line = ({ path, message }: InputIssue): string => (path === '' ? message : `${path}: ${message}`);

/** The first ones; the stack trace has all. */
const sentence = (problems: readonly InputIssue[]): string =>
  problems.length > maxTold
    ? `${problems.slice(0, maxTold).map(line).join('; ')}; and ${problems.length - maxTold} more`
    : problems.map(line).join('; ');

const maxTold = 10;
