import type { OperatorClass } from '@headgate/operators';
import { builtInModules, operatorClassesIn } from '@headgate/operators/engine';
import { PassThrough } from '../operators/pass-through.js';
import { addModules, type OperatorRegistry, type PackageModule } from '../operators/registry.js';
import type { DeployOrder } from '../protocol/protocol.js';

/** The operator classes of a container. */
interface Classes {
  /** With those that this order needs. */
  neededBy(order: DeployOrder): Promise<OperatorRegistry<OperatorClass>>;
}

/**
 * Modules of the host and of packages are imported at once, so that a container that can't have them never gets ready;
 * built-in classes when they are deployed, for a container needs few of them and all would double the time of its start.
 */
export async function loadClasses(
  modules: readonly string[],
  packageModules: readonly PackageModule[],
): Promise<Classes> {
  const classes = new Map<string, OperatorClass>([[PassThrough.className, PassThrough]]);
  await addModules(classes, modules);
  for (const { url, classNames } of packageModules) {
    const exported = await operatorClassesIn(url);
    for (const name of classNames) {
      const found = exported.find(({ className }) => className === name);
      if (!found) throw new Error(`The module ${url} does not export the operator class ${name} any more`);
      classes.set(name, found);
    }
  }
  return {
    async neededBy(order) {
      for (const name of namesIn(order)) {
        if (classes.has(name)) continue;
        const found = await builtInModules.get(name)?.();
        if (found) classes.set(name, found);
      }
      return classes;
    },
  };
}

/** Of operators, and of readers elsewhere, whose class says how tuples are dealt to their partitions. */
const namesIn = ({ operators }: DeployOrder): readonly string[] =>
  operators.flatMap(({ className, inputs, publishers }) => [
    className,
    ...[...inputs, ...publishers].flatMap(({ split }) => (split ? [split.className] : [])),
  ]);
