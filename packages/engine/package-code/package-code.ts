import {
  Conflict,
  type PackageContent,
  type PackageOperators,
  type PackageProblem,
} from 'headgate/driver-kit';
import type { LoadOperators } from '../operators/known-operators.js';
import { openCodeFolders } from './code-folders.js';
import { createDescribedCode } from './described-code.js';
import type { Description } from './descriptions.js';
import { createExaminer } from './examiner.js';
import { hintOf, jarHint, modulesOf, notAllowed, notAllowedReason, tooMuch } from './hints.js';
import { type OperatorSet, withoutPackage } from './operator-set.js';
import { packageOperatorClass } from './package-class.js';
import { stubsOf, writeStubs } from './stubs.js';
import { type CodeLimits, TooMuchCode } from './unpacking.js';

interface PackageCodeDeps {
  /** Whether packages may bring code. */
  readonly allowed: boolean;
  readonly directory: string;
  /** Paths of what the engine runs and modules import. */
  readonly programs: { readonly examine: string; readonly operators: string; readonly zod: string };
  readonly execPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: CodeLimits & { readonly examineMillis: number };
  /** Those that are there without any package. */
  readonly loadOperators: LoadOperators;
}

/** Operators that packages bring along. The host never imports them: see `Examiner`. */
export interface PackageCode {
  /** What a package brings; what is wrong with it costs only itself. */
  describe(content: PackageContent): Promise<PackageOperators>;
  /** For an application of this package, or of none. Its code is held until `release`. */
  operatorsFor(content: PackageContent | undefined): Promise<HeldOperators>;
  /** For an application that goes on from one that had this code. Rejects with `Conflict` when it can't be used any more. */
  operatorsAgain(key: string | undefined): Promise<HeldOperators>;
  /** To look at: of an application that has ended, too. */
  operatorsOf(key: string | undefined): Promise<OperatorSet>;
  /** Removes the code that is needed by none of these. Never rejects. */
  prune(needed: Iterable<string | undefined>): Promise<void>;
}

interface HeldOperators {
  readonly operators: OperatorSet;
  release(): void;
}

const nothingHeld = (operators: OperatorSet): HeldOperators => ({ operators, release() {} });

/** Why classes may be missing. */
const why = (problems: readonly PackageProblem[], content: PackageContent | undefined): string =>
  hintOf(problems) + jarHint(content);

/** `needed`: the code of applications that are known already. */
export async function openPackageCode(
  deps: PackageCodeDeps,
  needed: readonly (string | undefined)[],
): Promise<PackageCode> {
  const folders = await openCodeFolders(deps.directory, deps.limits);
  await writeStubs(deps.directory, deps.programs);
  const examiner = createExaminer({
    execPath: deps.execPath,
    env: deps.env,
    program: deps.programs.examine,
    stubs: stubsOf(deps.directory),
    millis: deps.limits.examineMillis,
  });
  const described = createDescribedCode({ loadOperators: deps.loadOperators, folders, examiner });
  for (const key of needed) if (key !== undefined && folders.has(key)) await described.remember(key);

  const withoutAny = async (hint = '') => nothingHeld(withoutPackage(await deps.loadOperators(), hint));

  async function held(content: PackageContent): Promise<HeldOperators & { description: Description }> {
    const { key, release } = await folders.keep(content);
    try {
      const description = await described.describe(key, modulesOf(content));
      return { operators: await described.operatorsOf(key, description), description, release };
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
      if (!content || modulesOf(content).length === 0) return withoutAny(why([], content));
      if (!deps.allowed) return withoutAny(why(notAllowed(content), content));
      try {
        const { operators, release } = await held(content);
        return { operators: { ...operators, hint: operators.hint + jarHint(content) }, release };
      } catch (error) {
        if (error instanceof TooMuchCode) return withoutAny(why([tooMuch(error)], content));
        throw error;
      }
    },
    async operatorsAgain(key) {
      if (key === undefined) return withoutAny();
      if (!deps.allowed)
        throw new Conflict(
          'PACKAGE_CODE_NOT_ALLOWED',
          `The application has operators of its package; ${notAllowedReason}`,
        );
      const operators = described.known(key);
      const held = operators && folders.hold(key);
      if (held) return { operators, release: held.release };
      throw new Conflict(
        'PACKAGE_CODE_MISSING',
        'The code of the package that the application came from is not there any more; launch it from the package',
      );
    },
    operatorsOf: async (key) => (key && described.known(key)) || withoutPackage(await deps.loadOperators()),
    async prune(keys) {
      const used = new Set([...keys].filter((key) => key !== undefined));
      await folders.prune(used);
      described.forgetRemoved();
    },
  };
}
