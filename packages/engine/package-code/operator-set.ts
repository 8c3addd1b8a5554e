import { BadRequest, type InputIssue, InvalidInput } from 'headgate/driver-kit';
import type { OperatorRegistry, PackageModule } from '../operators/registry.js';
import type { ExamineOrder } from './answers.js';
import type { Examined } from './examiner.js';

/** The operator classes that one application may use. */
export interface OperatorSet {
  readonly registry: OperatorRegistry;
  /** Of its package, for its containers. */
  readonly packageModules: readonly PackageModule[];
  /** The folder of its package's code, when it has any. */
  readonly packageCode?: string;
  /** Why a class may be missing, to be put behind a sentence that says so: empty, or begins with `; `. */
  readonly hint: string;
  /**
   * Lets the classes of its package judge properties that passed by their descriptions. Throws `InvalidInput` with each
   * place, and `BadRequest` when a module can't be asked.
   */
  verify(used: readonly UsedProperties[]): Promise<void>;
}

export interface UsedProperties {
  readonly className: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The place of a property; of all of them for `''`. */
  readonly place: (property: string) => string;
}

export const withoutPackage = (registry: OperatorRegistry, hint = ''): OperatorSet => ({
  registry,
  packageModules: [],
  hint,
  verify: async () => {},
});

/** Asks the modules, each about its own classes. */
export async function verifyWith(
  modules: readonly PackageModule[],
  used: readonly UsedProperties[],
  examine: (order: ExamineOrder) => Promise<Examined>,
): Promise<void> {
  const issues: InputIssue[] = [];
  await Promise.all(
    modules.map(async ({ url, classNames }) => {
      const mine = used.filter(({ className }) => classNames.includes(className));
      if (mine.length === 0) return;
      const check = mine.map(({ className, properties }) => ({ className, properties }));
      const examined = await examine({ module: url, check });
      if (!('answer' in examined) || !('issues' in examined.answer))
        throw new BadRequest(
          'MODULE_FAILED',
          `The module of ${classNames.join(', ')} can't check its properties: ${reasonOf(examined)}`,
        );
      for (const { index, path, message } of examined.answer.issues)
        issues.push({ path: mine[index]?.place(path) ?? path, message });
    }),
  );
  if (issues.length > 0) throw new InvalidInput(issues);
}

function reasonOf(examined: Examined): string {
  if ('problem' in examined) return examined.problem;
  return 'fault' in examined.answer ? examined.answer.fault : 'it gave another answer than was asked for';
}
