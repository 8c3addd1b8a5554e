import * as z from 'zod';
import { dagOf } from '../../definitions/dag.js';
import { defaultJsonLimits, parseJson } from '../../formats/json.js';
import { issueSentences } from '../../http/validate.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { PackageContent } from '../../interfaces/package.js';
import { BadRequest, type InputIssue, TimedOut, Unreachable } from '../../model/errors.js';
import { PackagedDefinition } from '../../model/sql-application.js';
import { setNewest } from '../../runtime/lru.js';
import type { AppFault } from './meta.js';
import type { OpenPackage } from './open-package.js';
import { type PackageClasses, packageKnowledge, problemsInPackage, problemsInSql } from './package-check.js';
import { packageContent } from './package-content.js';
import type { PackageApp } from './schema.js';
import type { ContainedApp, StoredPackage } from './stored.js';

export interface CheckDeps {
  readonly cluster: ClusterDriver;
  /** Milliseconds that a driver may take to check a definition. */
  readonly checkMillis: number;
  readonly classesOf: (pkg: OpenPackage, signal: AbortSignal) => Promise<PackageClasses>;
}

/** Whether the definitions of JSON applications can run. Archives never change, so what was found out once is remembered. */
interface ApplicationChecks {
  /** All that is wrong with a definition that is to come into the package. */
  problems(
    pkg: OpenPackage,
    definition: PackagedDefinition,
    signal: AbortSignal,
  ): Promise<readonly InputIssue[]>;
  /** Why applications of the package can't run, by their names, beyond what its contents tell. */
  faults(pkg: OpenPackage, signal: AbortSignal): Promise<ReadonlyMap<string, AppFault>>;
  /** The same without the package; `undefined` when one of them was not checked before. */
  remembered(
    stored: Pick<StoredPackage, 'id'>,
    applications: readonly ContainedApp[],
  ): ReadonlyMap<string, AppFault> | undefined;
  /** The plan of a definition as far as there is one, and its fault. */
  described(
    pkg: OpenPackage,
    app: ContainedApp,
    text: string,
    signal: AbortSignal,
  ): Promise<Pick<PackageApp, 'dag' | 'error' | 'errorStackTrace'>>;
}

export function createApplicationChecks({ cluster, checkMillis, classesOf }: CheckDeps): ApplicationChecks {
  /** By the id of the package's archive and the file. */
  const checked = new Map<string, readonly InputIssue[]>();
  const keyOf = ({ id }: Pick<StoredPackage, 'id'>, { file }: ContainedApp) => `${id}/${file}`;

  /** What definitions are held against; read when it is first asked for. */
  function factsOf(pkg: OpenPackage, signal: AbortSignal): () => Promise<Facts> {
    let facts: Promise<Facts> | undefined;
    const read = async () => ({
      classes: await classesOf(pkg, signal),
      content: await packageContent(pkg),
    });
    return () => {
      facts ??= read();
      return facts;
    };
  }

  const problemsOf = async (definition: PackagedDefinition, facts: () => Promise<Facts>) =>
    definition.kind === 'sql'
      ? problemsInSql(cluster, definition)
      : problemsInPackage(cluster, definition, { ...(await facts()), millis: checkMillis });

  async function rememberedProblems(
    { stored }: Pick<OpenPackage, 'stored'>,
    app: ContainedApp,
    look: () => Promise<readonly InputIssue[]>,
  ): Promise<readonly InputIssue[]> {
    const key = keyOf(stored, app);
    const before = checked.get(key);
    if (before) return before;
    const problems = await look();
    setNewest(checked, key, problems, maxChecked);
    return problems;
  }

  return {
    problems: async (pkg, definition, signal) => problemsOf(definition, factsOf(pkg, signal)),

    async faults(pkg, signal) {
      const facts = factsOf(pkg, signal);
      const found = new Map<string, AppFault>();
      for (const app of pkg.contents.applications.filter(isOpen)) {
        const look = async () => problemsOf(definitionIn(await definitionTextOf(pkg, app.file)), facts);
        found.set(app.name, await told(() => rememberedProblems(pkg, app, look)));
      }
      return found;
    },

    remembered(stored, applications) {
      const found = new Map<string, AppFault>();
      for (const app of applications.filter(isOpen)) {
        const problems = checked.get(keyOf(stored, app));
        if (!problems) return undefined;
        found.set(app.name, faultIn(problems));
      }
      return found;
    },

    async described(pkg, app, text, signal) {
      let dag: PackageApp['dag'];
      const fault = await told(async () => {
        const definition = definitionIn(text);
        const facts = factsOf(pkg, signal);
        if (definition.kind !== 'sql') dag = dagOf(definition, packageKnowledge((await facts()).classes));
        return rememberedProblems(pkg, app, () => problemsOf(definition, facts));
      });
      return { ...(dag === undefined ? {} : { dag }), ...fault };
    },
  };
}

interface Facts {
  readonly classes: PackageClasses;
  readonly content: PackageContent;
}

/** Results of checks that are remembered. */
const maxChecked = 2000;

export async function definitionTextOf(pkg: OpenPackage, file: string): Promise<string> {
  const text = (await pkg.read(`app/${file}`, defaultJsonLimits.maxBytes)).toString('utf8');
  // Some editors put one in front, and JSON has none.
  return text.replace(/^\uFEFF/, '');
}

/** Throws for what has not the form of a definition. */
const definitionIn = (text: string): PackagedDefinition =>
  PackagedDefinition.parse(parseJson(text, defaultJsonLimits), issueSentences);

/** What a definition that can't run says of itself; nothing when nobody could be asked. */
async function told(check: () => Promise<readonly InputIssue[]>): Promise<AppFault> {
  return faultIn(await check().catch(problemsIn));
}

const faultIn = (problems: readonly InputIssue[]): AppFault =>
  problems.length === 0 ? {} : { error: sentence(problems), errorStackTrace: problems.map(line).join('\n') };

/** Those whose definitions have to be looked at to know whether they can run. */
const isOpen = ({ type, error }: ContainedApp): boolean => type === 'json' && error === undefined;

function problemsIn(error: unknown): readonly InputIssue[] {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  if (error instanceof BadRequest) return [{ path: '', message: error.message }];
  if (error instanceof Unreachable || error instanceof TimedOut) return [];
  throw error;
}

const line = ({ path, message }: InputIssue): string => (path === '' ? message : `${path}: ${message}`);

/** The first ones; the stack trace has all. */
export const sentence = (problems: readonly InputIssue[]): string =>
  problems.length > maxTold
    ? `${problems.slice(0, maxTold).map(line).join('; ')}; and ${problems.length - maxTold} more`
    : problems.map(line).join('; ');

const maxTold = 10;
