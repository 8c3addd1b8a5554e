import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Conflict,
  type PackageContent,
  type PackageOperators,
  type PackageProblem,
  writeWhole,
} from '../../../../lib/driver-kit.js';
import type { OperatorType } from '../operator.js';
import type { OperatorRegistry, PackageModule } from '../registry.js';
import { type CodeLimits, isCode, isModule, openCodeFolders, TooMuchCode } from './code-folders.js';
import { describedType } from './described-type.js';
import { Description, describeModules, maker } from './descriptions.js';
import { createExaminer } from './examiner.js';
import { type OperatorSet, verifyWith, withoutPackage } from './operator-set.js';
import { packageOperatorClass } from './package-class.js';
import { stubsOf, writeStubs } from './stubs.js';

interface PackageCodeDeps {
  /** Whether packages may bring code. */
  readonly allowed: boolean;
  readonly directory: string;
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: CodeLimits & { readonly examineMillis: number };
  /** Those that are there without any package. */
  readonly registry: OperatorRegistry;
}

/** Operators that packages bring along. The host never imports them: see `Examiner`. */
export interface PackageCode {
  /** What a package brings; what is wrong with it costs only itself. */
  describe(content: PackageContent): Promise<PackageOperators>;
  /** For an application of this package, or of none. Its code is held until `release`. */
  operatorsFor(content: PackageContent | undefined): Promise<HeldOperators>;
  /** For an application that goes on from one that had this code. Throws `Conflict` when it can't be used any more. */
  operatorsAgain(key: string | undefined): HeldOperators;
  /** To look at: of an application that has ended, too. */
  operatorsOf(key: string | undefined): OperatorSet;
  /** Removes the code that is needed by none of these. Never rejects. */
  prune(needed: Iterable<string | undefined>): Promise<void>;
}

interface HeldOperators {
  readonly operators: OperatorSet;
  release(): void;
}

const descriptionFile = 'described.json';

/** `needed`: the code of applications that are known already. */
export async function openPackageCode(
  deps: PackageCodeDeps,
  needed: readonly (string | undefined)[],
): Promise<PackageCode> {
  const { directory, registry } = deps;
  const folders = await openCodeFolders(directory, deps.limits);
  await writeStubs(directory);
  const examiner = createExaminer({
    execPath: deps.execPath,
    env: deps.env,
    standIns: stubsOf(directory),
    millis: deps.limits.examineMillis,
  });
  const sets = new Map<string, OperatorSet>();
  const describing = new Map<string, Promise<Description>>();
  for (const key of needed) if (key !== undefined && folders.has(key)) await remembered(key);

  /** Kept, or looked at now. */
  function descriptionOf(key: string, files: readonly string[]): Promise<Description> {
    const running = describing.get(key) ?? described(key, files);
    describing.set(key, running);
    const over = () => describing.delete(key);
    running.then(over, over);
    return running;
  }

  async function described(key: string, files: readonly string[]): Promise<Description> {
    const before = await remembered(key);
    if (before) return before;
    const { description, isFinal } = await describeModules(folders.pathOf(key), files, registry, examiner);
    if (isFinal) await writeWhole(join(folders.pathOf(key), descriptionFile), JSON.stringify(description));
    sets.set(key, setOf(key, description));
    return description;
  }

  async function remembered(key: string): Promise<Description | undefined> {
    try {
      const text = await readFile(join(folders.pathOf(key), descriptionFile), 'utf8');
      const description = Description.parse(JSON.parse(text));
      sets.set(key, setOf(key, description));
      return description.by === maker ? description : undefined;
    } catch {
      // Never written, or damaged: it is looked at again.
      return undefined;
    }
  }

  function setOf(key: string, { modules, problems }: Description): OperatorSet {
    const folder = folders.pathOf(key);
    const types = modules.flatMap(({ classes }) => classes.map(describedType));
    const packageModules = modules.map(
      ({ file, classes }): PackageModule => ({
        url: pathToFileURL(join(folder, file)).href,
        classNames: classes.map(({ className }) => className),
      }),
    );
    return {
      registry: new Map([
        ...registry,
        ...types.map((type): [string, OperatorType] => [type.className, type]),
      ]),
      packageModules,
      packageCode: key,
      hint: hintOf(problems),
      verify: (used) => verifyWith(packageModules, used, (order) => examiner.examine(folder, order)),
    };
  }

  async function held(content: PackageContent): Promise<HeldOperators & { description: Description }> {
    const { key, release } = await folders.keep(content);
    try {
      const description = await descriptionOf(key, modulesOf(content));
      return { operators: sets.get(key) ?? setOf(key, description), description, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  return {
    async describe(content) {
      if (modulesOf(content).length === 0) return { classes: [], problems: [] };
      if (!deps.allowed) return { classes: [], problems: notAllowed(content) };
      try {
        const { description, release } = await held(content);
        release();
        return {
          classes: description.modules.flatMap(({ classes }) => classes.map(packageOperatorClass)),
          problems: description.problems,
        };
      } catch (error) {
        if (error instanceof TooMuchCode) return { classes: [], problems: [tooMuch(error)] };
        throw error;
      }
    },
    async operatorsFor(content) {
      const none = (problems: readonly PackageProblem[]) => ({
        operators: withoutPackage(registry, hintOf(problems) + jarHint(content)),
        release() {},
      });
      if (!content || modulesOf(content).length === 0) return none([]);
      if (!deps.allowed) return none(notAllowed(content));
      try {
        const { operators, release } = await held(content);
        return { operators: { ...operators, hint: operators.hint + jarHint(content) }, release };
      } catch (error) {
        if (error instanceof TooMuchCode) return none([tooMuch(error)]);
        throw error;
      }
    },
    operatorsAgain(key) {
      if (key === undefined) return { operators: withoutPackage(registry), release() {} };
      if (!deps.allowed)
        throw new Conflict(`The application has operators of its package; ${notAllowedReason}`);
      const operators = sets.get(key);
      const held = operators && folders.hold(key);
      if (held) return { operators, release: held.release };
      throw new Conflict(
        'The code of the package that the application came from is not there any more; launch it from the package',
      );
    },
    operatorsOf: (key) => (key === undefined ? undefined : sets.get(key)) ?? withoutPackage(registry),
    async prune(keys) {
      const used = new Set([...keys].filter((key) => key !== undefined));
      await folders.prune(used);
      for (const key of sets.keys()) if (!folders.has(key)) sets.delete(key);
    },
  };
}

const modulesOf = ({ files }: PackageContent): string[] =>
  files
    .map(({ name }) => name)
    .filter((name) => isCode(name) && isModule(name))
    .sort();

const notAllowedReason = 'its host does not let packages bring code (packageCode of localCluster)';

const notAllowed = (content: PackageContent): PackageProblem[] =>
  modulesOf(content).map((file) => ({
    file,
    message: `it is not used: the host of the local engine does not let packages bring code (packageCode of localCluster)`,
  }));

const tooMuch = ({ message }: TooMuchCode): PackageProblem => ({ file: 'lib/', message });

const shownProblems = 3;

const hintOf = (problems: readonly PackageProblem[]): string =>
  problems
    .slice(0, shownProblems)
    .map(({ file, message }) => `; ${file}: ${message}`)
    .join('');

const jarHint = (content: PackageContent | undefined): string =>
  content?.files.some(({ name }) => /^(app|lib)\/[^/]+\.jar$/i.test(name))
    ? '; the local engine has no JVM, so it can not use classes of jars'
    : '';
