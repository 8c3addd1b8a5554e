import type { OperatorType } from '@headgate/operators';
import { isOperatorClass } from '@headgate/operators/engine';

/** Names of the operator classes that it extends, nearest first. */
export function ancestorsOf(type: OperatorType): readonly string[] {
  if (type.ancestors) return type.ancestors;
  const names: string[] = [];
  for (let next = parentOf(type); next !== null; next = parentOf(next))
    if (isOperatorClass(next)) names.push(next.className);
  return names;
}

const parentOf = (type: object): object | null => Object.getPrototypeOf(type);
