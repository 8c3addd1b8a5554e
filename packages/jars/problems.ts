import type { PackageProblem } from 'headgate/driver-kit';
import { BadRequest, DamagedDocument, TooLarge } from 'headgate/driver-kit';
import { BrokenClass } from './broken-class.js';

export interface JarProblems {
  add(file: string, message: string): void;
  list(): PackageProblem[];
}

export function jarProblems(maxProblems: number): JarProblems {
  const problems: PackageProblem[] = [];
  let more = 0;
  let last = '';
  return {
    add(file, message) {
      if (problems.length < maxProblems) problems.push({ file, message });
      else {
        more++;
        last = file;
      }
    },
    list: () => [
      ...problems,
      ...(more === 0 ? [] : [{ file: last, message: `there are ${more} more problems` }]),
    ],
  };
}

/** Why a file inside a jar can't be used; anything but a fault of its own is thrown on. */
export function faultOf(error: unknown): string {
  if (error instanceof BrokenClass) return error.message;
  if (error instanceof DamagedDocument && error.cause instanceof Error) return error.cause.message;
  if (error instanceof BadRequest || error instanceof TooLarge || error instanceof DamagedDocument)
    return error.message;
  throw error;
}
