import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

export interface Hashes {
  /** The passwords that were hashed, in the order in which that was begun. */
  readonly begun: string[];
  /** From now on none ends, until `release`. */
  hold(): void;
  release(): void;
}

/** Sees every hash of this process, whoever makes it, until the test ends. */
export function watchHashes(t: { teardown(end: () => void): unknown }): Hashes {
  const { scrypt } = crypto;
  const begun: string[] = [];
  let waiting: (() => void)[] | undefined;
  const watched = (...args: unknown[]): unknown => {
    begun.push(String(args[0]));
    const make = () => Reflect.apply(scrypt, crypto, args);
    return waiting ? void waiting.push(make) : make();
  };
  replace(watched);
  const release = () => {
    const held = waiting ?? [];
    waiting = undefined;
    for (const make of held) make();
  };
  t.teardown(() => {
    release();
    replace(scrypt);
  });
  return {
    begun,
    hold() {
      waiting ??= [];
    },
    release,
  };
}

let areCheap = false;

/**
 * From now on hashes of passwords cost this process a thousandth of their time; what they are is another matter, and tested
 * elsewhere. Processes that share a data directory with this one must do the same, or not log in by passwords made here.
 */
export function makeHashesCheap(): void {
  if (areCheap) return;
  areCheap = true;
  const { scrypt } = crypto;
  replace((...args: unknown[]) => {
    const [password, salt, bytes, parameters, done] = args;
    return Reflect.apply(scrypt, crypto, [
      password,
      salt,
      bytes,
      { ...Object(parameters), cost: 2 ** 5 },
      done,
    ]);
  });
}

function replace(scrypt: unknown): void {
  Object.defineProperty(crypto, 'scrypt', {
    value: scrypt,
    configurable: true,
    writable: true,
    enumerable: true,
  });
  syncBuiltinESMExports();
}
