import type { OperatorClass } from '@headgate/operators';
import { builtInOperators } from '@headgate/operators/built-in';
import { PassThrough } from './pass-through.js';
import { addModules, type OperatorRegistry } from './registry.js';

/** The host's: the built-in classes and those that the modules export. Rejects as `addModules` does. */
export async function loadOperators(modules: readonly string[]): Promise<OperatorRegistry<OperatorClass>> {
  const registry = new Map<string, OperatorClass>(
    [PassThrough, ...builtInOperators].map((known) => [known.className, known]),
  );
  await addModules(registry, modules);
  return registry;
}
