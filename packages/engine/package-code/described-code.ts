import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OperatorType } from '@headgate/operators';
import { writeWhole } from 'headgate/driver-kit';
import type { LoadOperators } from '../operators/known-operators.js';
import type { PackageModule } from '../operators/registry.js';
import type { CodeFolders } from './code-folders.js';
import { describedType } from './described-type.js';
import { Description, describeModules, maker } from './descriptions.js';
import type { Examiner } from './examiner.js';
import { hintOf } from './hints.js';
import { type OperatorSet, verifyWith } from './operator-set.js';

interface DescribedCodeDeps {
  /** Operators that are there without any package. */
  readonly loadOperators: LoadOperators;
  readonly folders: CodeFolders;
  readonly examiner: Examiner;
}

/** What is known of the code in the folders, each by its key: looked at once, and kept beside it. */
interface DescribedCode {
  /** Kept, or looked at now. What was wrong at an earlier start is looked at again: it may have been the machine's fault. */
  describe(key: string, files: readonly string[]): Promise<Description>;
  /** Reads what was kept; `undefined` where the code has to be looked at again. */
  remember(key: string): Promise<Description | undefined>;
  known(key: string): OperatorSet | undefined;
  operatorsOf(key: string, description: Description): Promise<OperatorSet>;
  /** Those whose folders are gone. */
  forgetRemoved(): void;
}

const descriptionFile = 'described.json';

export function createDescribedCode({ loadOperators, folders, examiner }: DescribedCodeDeps): DescribedCode {
  const sets = new Map<string, OperatorSet>();
  const describing = new Map<string, Promise<Description>>();
  /** Looked at since the start. */
  const current = new Set<string>();

  function describe(key: string, files: readonly string[]): Promise<Description> {
    const running = describing.get(key) ?? lookAt(key, files);
    describing.set(key, running);
    const over = () => describing.delete(key);
    running.then(over, over);
    return running;
  }

  async function lookAt(key: string, files: readonly string[]): Promise<Description> {
    const before = await remember(key);
    if (before && (before.problems.length === 0 || current.has(key))) return before;
    const known = await loadOperators();
    const { description, isFinal } = await describeModules(folders.pathOf(key), files, known, examiner);
    // The machine is in trouble: what was known of the code is not lost by that.
    if (!isFinal && before && before.modules.length >= description.modules.length) return before;
    if (isFinal) {
      await writeWhole(join(folders.pathOf(key), descriptionFile), JSON.stringify(description));
      current.add(key);
    }
    sets.set(key, await setOf(key, description));
    return description;
  }

  async function remember(key: string): Promise<Description | undefined> {
    try {
      const text = await readFile(join(folders.pathOf(key), descriptionFile), 'utf8');
      const description = Description.parse(JSON.parse(text));
      sets.set(key, await setOf(key, description));
      return description.by === maker ? description : undefined;
    } catch {
      // Never written, or damaged: it is looked at again.
      return undefined;
    }
  }

  async function setOf(key: string, { modules, problems }: Description): Promise<OperatorSet> {
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
        ...(await loadOperators()),
        ...types.map((type): [string, OperatorType] => [type.className, type]),
      ]),
      packageModules,
      packageCode: key,
      hint: hintOf(problems),
      verify: (used) => verifyWith(packageModules, used, (order) => examiner.examine(folder, order)),
    };
  }

  return {
    describe,
    remember,
    known: (key) => sets.get(key),
    operatorsOf: async (key, description) => sets.get(key) ?? setOf(key, description),
    forgetRemoved() {
      for (const known of [sets, current]) {
        for (const key of known.keys()) if (!folders.has(key)) known.delete(key);
      }
    },
  };
}
