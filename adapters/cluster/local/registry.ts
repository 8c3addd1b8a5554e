import { Operator, type OperatorClass } from './operator.js';
import { builtInOperators } from './operators/index.js';
import { PassThrough } from './pass-through.js';

export type OperatorRegistry = ReadonlyMap<string, OperatorClass>;

/**
 * The built-in classes and those that the modules export. Rejects with an error that names the module when one can't
 * be imported, exports no operator class, or takes a name that another has.
 */
export async function loadOperators(modules: readonly string[]): Promise<OperatorRegistry> {
  const registry = new Map<string, OperatorClass>();
  for (const known of [PassThrough, ...builtInOperators]) registry.set(known.className, known);
  for (const module of modules) {
    const classes = await classesOf(module);
    if (classes.length === 0) throw new Error(`The module ${module} exports no operator class`);
    for (const found of classes) {
      const other = registry.get(found.className);
      if (other && other !== found)
        throw new Error(`The module ${module} brings a second operator class ${found.className}`);
      registry.set(found.className, found);
    }
  }
  return registry;
}

async function classesOf(module: string): Promise<OperatorClass[]> {
  let exported: Record<string, unknown>;
  try {
    exported = await import(module);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The operator module ${module} can't be imported: ${reason}`, { cause });
  }
  return Object.values(exported).filter(isOperatorClass);
}

/** By its shape: a module may have been built against another copy of this package. */
function isOperatorClass(value: unknown): value is OperatorClass {
  if (typeof value !== 'function' || !Object.hasOwn(value, 'className')) return false;
  const { className, properties } = value as Partial<OperatorClass>;
  const made: unknown = value.prototype;
  return (
    typeof className === 'string' &&
    className.includes('.') &&
    typeof properties?.safeParse === 'function' &&
    (made instanceof Operator || (typeof made === 'object' && made !== null && 'process' in made))
  );
}

/** Throws for a class that is not there. */
export function classOf(className: string, registry: OperatorRegistry): OperatorClass {
  const type = registry.get(className);
  if (!type) throw new Error(`There is no operator class ${className} in this container`);
  return type;
}
