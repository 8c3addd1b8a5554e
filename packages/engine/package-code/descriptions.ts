import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PackageProblem, version } from 'headgate/driver-kit';
import * as z from 'zod';
import type { OperatorRegistry } from '../operators/registry.js';
import { DescribedClass } from './answers.js';
import type { Examined, Examiner } from './examiner.js';

/** What a package's code was found to hold. */
export const Description = z.object({
  /** What made it: another version may see more in the same code. */
  by: z.string(),
  modules: z.array(z.object({ file: z.string(), classes: z.array(DescribedClass) })),
  problems: z.array(z.object({ file: z.string(), message: z.string() })),
});
export type Description = z.output<typeof Description>;

export const maker = `${version} ${process.version}`;
const maxModules = 50;
/** The engine's own. */
const reserved = 'headgate.';
/** Characters of JSON. */
const maxDescription = 256 * 1024;

/** Each module in a process of its own. `isFinal`: what is wrong would be wrong the next time, too. */
export async function describeModules(
  folder: string,
  files: readonly string[],
  registry: OperatorRegistry,
  examiner: Examiner,
): Promise<{ description: Description; isFinal: boolean }> {
  const looked = files.slice(0, maxModules);
  const found = await Promise.all(
    looked.map((file) =>
      examiner.examine(folder, { module: pathToFileURL(join(folder, file)).href, check: [] }),
    ),
  );
  const problems: PackageProblem[] = files
    .slice(maxModules)
    .map((file) => ({ file, message: `only ${maxModules} modules of a package are looked at` }));
  const taken = new Map<string, string>();
  let told = 0;
  const modules = looked.map((file, index) => {
    const complain = (message: string) => problems.push({ file, message: withoutFolder(message, folder) });
    const classes = classesIn(found[index], complain).filter((described) => {
      told += JSON.stringify(described).length;
      const problem =
        told > maxDescription
          ? `${described.className}: the classes of the package say more than ${maxDescription} characters of themselves`
          : whyNot(described, taken.get(described.className), registry);
      if (problem === undefined) taken.set(described.className, file);
      else complain(problem);
      return problem === undefined;
    });
    return { file, classes };
  });
  return {
    description: { by: maker, modules: modules.filter(({ classes }) => classes.length > 0), problems },
    isFinal: !found.some((one) => 'isPassing' in one && one.isPassing),
  };
}

function classesIn(examined: Examined | undefined, complain: (message: string) => void): DescribedClass[] {
  if (!examined) return [];
  if ('problem' in examined) complain(examined.problem);
  else if ('fault' in examined.answer) complain(`it can't be imported: ${examined.answer.fault}`);
  else if ('classes' in examined.answer) {
    for (const problem of examined.answer.problems) complain(problem);
    return examined.answer.classes;
  } else complain('it gave another answer than was asked for');
  return [];
}

function whyNot(
  described: DescribedClass,
  other: string | undefined,
  registry: OperatorRegistry,
): string | undefined {
  const { className } = described;
  if (className.startsWith(reserved))
    return `${className}: names that begin with ${reserved} are the engine's own`;
  if (registry.has(className)) return `${className} is a class of the host already; give it another name`;
  if (other !== undefined) return `${className} is in ${other} already`;
  return undefined;
}

/** Nobody outside needs to know where the engine lives. */
const withoutFolder = (message: string, folder: string): string =>
  message.replaceAll(`${pathToFileURL(folder).href}/`, '').replaceAll(join(folder, '/'), '');
