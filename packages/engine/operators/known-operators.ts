import type { OperatorClass } from '@headgate/operators';
import { PassThrough } from './pass-through.js';
import { addModules, type OperatorRegistry } from './registry.js';

export type LoadOperators = () => Promise<OperatorRegistry<OperatorClass>>;

/**
 * The host's: the built-in classes and those that the modules export. Loaded once, when it is first asked for: an engine that
 * runs nothing has no use for them. It rejects as `addModules` does.
 */
export function knownOperators(modules: readonly string[]): LoadOperators {
  let loading: ReturnType<LoadOperators> | undefined;
  return () => {
    loading ??= load(modules).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

async function load(modules: readonly string[]): Promise<OperatorRegistry<OperatorClass>> {
  const { builtInOperators } = await import('@headgate/operators/built-in');
  const registry = new Map<string, OperatorClass>(
    [PassThrough, ...builtInOperators].map((known) => [known.className, known]),
  );
  await addModules(registry, modules);
  return registry;
}
