import type { OperatorClass, OperatorType } from '@headgate/operators';
import { operatorClassesIn } from '@headgate/operators/engine';

/** Where there is nothing but descriptions of some, as in the host of those that packages bring: of `OperatorType`. */
export type OperatorRegistry<T extends OperatorType = OperatorType> = ReadonlyMap<string, T>;

/** A module of a package: only these classes of it count, as its examination found them. */
export interface PackageModule {
  readonly url: string;
  readonly classNames: readonly string[];
}

/**
 * Adds the classes that the modules export. Rejects with an error that names the module when one can't be imported,
 * exports no operator class, or takes a name that another has.
 */
export async function addModules(
  registry: Map<string, OperatorClass>,
  modules: readonly string[],
): Promise<void> {
  for (const module of modules) {
    const classes = await operatorClassesIn(module);
    if (classes.length === 0) throw new Error(`The module ${module} exports no operator class`);
    for (const found of classes) {
      const other = registry.get(found.className);
      if (other && other !== found)
        throw new Error(`The module ${module} brings a second operator class ${found.className}`);
      registry.set(found.className, found);
    }
  }
}

/** Throws for a class that is not there. */
export function classOf(className: string, registry: OperatorRegistry<OperatorClass>): OperatorClass {
  const type = registry.get(className);
  if (!type) throw new Error(`There is no operator class ${className} in this container`);
  return type;
}
