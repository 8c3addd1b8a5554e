import type { StorageProblem } from 'headgate/driver-kit';

type Subject = Pick<StorageProblem, 'kind' | 'collection' | 'key'>;

/** What was found to be wrong and has not been mended since. */
export interface Problems {
  add(problem: StorageProblem): void;
  /** After the thing was read whole, written anew or deleted. */
  remove(subject: Subject): void;
  list(): readonly StorageProblem[];
}

/** More say nothing new: the disk is broken. */
const maxProblems = 1000;

export function createProblems(): Problems {
  const found = new Map<string, StorageProblem>();
  const nameOf = ({ kind, collection, key }: Subject) => JSON.stringify([kind, collection, key]);
  return {
    add(problem) {
      if (found.size < maxProblems) found.set(nameOf(problem), problem);
    },
    remove(subject) {
      if (found.size > 0) found.delete(nameOf(subject));
    },
    list: () => [...found.values()],
  };
}
