import { Operator, type OperatorClass } from './operator.js';

/**
 * The operator classes that a module exports: one that is there at run time only, also where this is part of a bundle.
 * Rejects with an error that names it when it can't be imported. */
export async function operatorClassesIn(module: string): Promise<OperatorClass[]> {
  let exported: Record<string, unknown>;
  try {
    exported = await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The operator module ${module} can't be imported: ${reason}`, { cause });
  }
  return Object.values(exported).filter(isOperatorClass);
}

/** By its shape: a module may have been built against another copy of this package. */
export function isOperatorClass(value: unknown): value is OperatorClass {
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
