import { z } from 'zod';
import { dagOf } from '../../definitions/dag.js';
import { defaultJsonLimits, parseJson } from '../../formats/json.js';
import { JsonText } from '../../formats/json-text.js';
import type { SentJson } from '../../http/body.js';
import type { Tagged } from '../../http/conditional.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import { wording } from '../../http/validate.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { PackageContent } from '../../interfaces/package.js';
import {
  AlreadyExists,
  BadRequest,
  GatewayError,
  type InputIssue,
  NotFound,
  TimedOut,
  Unreachable,
  WouldEmpty,
} from '../../model/errors.js';
import { ApplicationDefinition } from '../../model/logical-plan.js';
import { setNewest } from '../../runtime/lru.js';
import { defaultArchiveLimits } from './archive/limits.js';
import { checkName } from './archive/names.js';
import { traceOf } from './contents.js';
import type { AppPackages } from './directory.js';
import { edited } from './merge.js';
import { type AppFault, appMetaOf } from './meta.js';
import { type FoundPackage, type OpenPackage, packageLabel } from './open-package.js';
import { type PackageClasses, packageKnowledge, problemsInPackage } from './package-check.js';
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
    definition: SentJson<ApplicationDefinition>,
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

interface ApplicationsDeps {
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
    { stored }: Pick<OpenPackage, 'stored'>,
    { file }: ContainedApp,
    look: () => Promise<readonly InputIssue[]>,
  ): Promise<readonly InputIssue[]> {
    const key = `${stored.id}/${file}`;
    const before = checked.get(key);
    if (before) return before;
    const problems = await look();
    setNewest(checked, key, problems, maxChecked);
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
      errorStackTrace: told.stackTrace ?? traceOf(told.error, file),
    };
  }

  async function faultsOf(pkg: OpenPackage, signal: AbortSignal): Promise<Map<string, AppFault>> {
    const facts = factsOf(pkg, signal);
    const found = new Map<string, AppFault>();
    for (const app of pkg.contents.applications.filter(isOpen)) {
      const look = async () => problemsOf(definitionIn(await definitionTextOf(pkg, app.file)), await facts());
      found.set(app.name, await told(() => rememberedProblems(pkg, app, look)));
    }
    return found;
  }

  return {
    listApplications: (call, ref) =>
      packages.reading(call, ref, async (pkg) => {
        const faults = await faultsOf(pkg, call.signal);
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
          return { value: { ...meta, ...(await describedByCode(pkg, app, call.signal)) }, digest };
        const text = await definitionTextOf(pkg, app.file);
        if (app.error !== undefined) return { value: { ...meta, fileContent: text }, digest };
        const value: PackageApp = { ...meta, fileContent: new JsonText(text) };
        const errors = await told(async () => {
          const definition = definitionIn(text);
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
        if (existing && definition.operators.length === 0 && call.ifMatch === undefined)
          await requireNothingToLose(pkg, existing);
        problems = await problemsOf(definition, await factsOf(pkg, call.signal)());
        const content = Buffer.from(text);
        return edited(await pkg.toCopy(), { name: file, content, modified: new Date(clock.now()) });
      });
      return { value: problems.length > 0 ? sentence(problems) : undefined, digest };
    },

    async faults(call, { kept, contents }) {
      const { id: stored } = kept.value;
      const found = new Map<string, AppFault>();
      for (const { name, file } of contents.applications.filter(isOpen)) {
        const problems = checked.get(`${stored}/${file}`);
        // Of the package as it is then: it may have changed, and is told with the faults of its applications next time.
        if (!problems) return packages.reading(call, kept.value, (pkg) => faultsOf(pkg, call.signal));
        found.set(name, faultIn(problems));
      }
      return found;
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

export async function definitionTextOf(pkg: OpenPackage, file: string): Promise<string> {
  const text = (await pkg.read(`app/${file}`, defaultJsonLimits.maxBytes)).toString('utf8');
  // Some editors put one in front, and JSON has none.
  return text.replace(/^\uFEFF/, '');
}

/** Throws for what has not the form of a definition. */
const definitionIn = (text: string): ApplicationDefinition =>
  ApplicationDefinition.parse(parseJson(text, defaultJsonLimits), wording);

const notJson = ({ name, type, file }: ContainedApp, what: string) =>
  new BadRequest(
    `${JSON.stringify(name)} is a ${type} application in app/${file}: only JSON applications can be ${what} here; upload a package with another file instead`,
  );

/** What a definition that can't run says of itself; nothing when nobody could be asked. */
async function told(check: () => Promise<readonly InputIssue[]>): Promise<AppFault> {
  return faultIn(await check().catch(problemsIn));
}

const faultIn = (problems: readonly InputIssue[]): AppFault =>
  problems.length === 0 ? {} : { error: sentence(problems), errorStackTrace: problems.map(line).join('\n') };

/** Those whose definitions have to be looked at to know whether they can run. */
const isOpen = ({ type, error }: ContainedApp): boolean => type === 'json' && error === undefined;

/** A console that could not show the operators saves an application without any. */
async function requireNothingToLose(pkg: OpenPackage, { name, file }: ContainedApp): Promise<void> {
  const before = HasOperators.safeParse(
    await definitionTextOf(pkg, file)
      .then(JSON.parse)
      .catch(() => undefined),
  );
  const count = before.data?.operators.length ?? 0;
  if (count > 0)
    throw new WouldEmpty(
      `${JSON.stringify(name)} has ${count} operators, and the new definition has none: read it first and send its ETag as If-Match, or delete the application`,
    );
}

const HasOperators = z.object({ operators: z.array(z.unknown()) });

function problemsIn(error: unknown): readonly InputIssue[] {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  if (error instanceof BadRequest) return [{ path: '', message: error.message }];
  if (error instanceof Unreachable || error instanceof TimedOut) return [];
  throw error;
}

/** For `faults`. */
export const noneWhenBusy = (error: unknown): ReadonlyMap<string, AppFault> =>
  unlessSomebodyIsBusy(error) ?? new Map();

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
