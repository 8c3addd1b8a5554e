// The runtime's own methods take three to five times as long on a frozen array as on another: they ask whether each
// element is there, then what it is, by name. Conditions look through nothing but frozen arrays, so these walk them by
// place; all other arrays, and what is none, are left to the runtime's.

type Test = (item: unknown, index: number, all: readonly unknown[]) => unknown;

const isMine = (all: unknown, test: unknown): boolean =>
  Array.isArray(all) && Object.isFrozen(all) && typeof test === 'function';

const isMissing = (all: readonly unknown[], index: number): boolean =>
  all[index] === undefined && !(index in all);

const told = (test: Test, self: unknown): Test => (self === undefined ? test : test.bind(self));

/** Between `repairIntrinsics` and `hardenIntrinsics`. */
export function replaceArrayMethods(prototype: unknown[]): void {
  const { some, every, find, findIndex, filter, forEach } = prototype;
  // Methods, as the runtime's: nothing can be constructed with them.
  const methods = {
    some(this: unknown[], test: Test, self?: unknown): boolean {
      if (!isMine(this, test)) return some.call(this, test, self);
      const holds = told(test, self);
      for (let index = 0; index < this.length; index++)
        if (!isMissing(this, index) && holds(this[index], index, this)) return true;
      return false;
    },
    every(this: unknown[], test: Test, self?: unknown): boolean {
      if (!isMine(this, test)) return every.call(this, test, self);
      const holds = told(test, self);
      for (let index = 0; index < this.length; index++)
        if (!isMissing(this, index) && !holds(this[index], index, this)) return false;
      return true;
    },
    find(this: unknown[], test: Test, self?: unknown): unknown {
      if (!isMine(this, test)) return find.call(this, test, self);
      const holds = told(test, self);
      for (let index = 0; index < this.length; index++)
        if (holds(this[index], index, this)) return this[index];
      return undefined;
    },
    findIndex(this: unknown[], test: Test, self?: unknown): number {
      if (!isMine(this, test)) return findIndex.call(this, test, self);
      const holds = told(test, self);
      for (let index = 0; index < this.length; index++) if (holds(this[index], index, this)) return index;
      return -1;
    },
    filter(this: unknown[], test: Test, self?: unknown): unknown[] {
      if (!isMine(this, test)) return filter.call(this, test, self);
      const holds = told(test, self);
      const found: unknown[] = [];
      for (let index = 0; index < this.length; index++)
        if (!isMissing(this, index) && holds(this[index], index, this)) found.push(this[index]);
      return found;
    },
    forEach(this: unknown[], test: Test, self?: unknown): void {
      if (!isMine(this, test)) {
        forEach.call(this, test, self);
        return;
      }
      const take = told(test, self);
      for (let index = 0; index < this.length; index++)
        if (!isMissing(this, index)) take(this[index], index, this);
    },
  };
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(prototype, name, { value, writable: true, enumerable: false, configurable: true });
}
