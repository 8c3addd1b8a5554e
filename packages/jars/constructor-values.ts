import type { MemberRef } from './constant-pool.js';

/** What code works with, as far as it is known without running anything. */
export type Value =
  /** Booleans are 0 and 1, as in the machine. */
  | { readonly is: 'constant'; readonly value: number | bigint | string | null }
  | { readonly is: 'parameter'; readonly index: number }
  | { readonly is: 'static'; readonly field: MemberRef }
  | { readonly is: 'this' }
  /** Anything else. `holds`: the object that is made may be reached through it. */
  | { readonly is: 'other'; holds: boolean };

/** What a constructor does, in its order. */
export type Step =
  | { readonly does: 'put'; readonly field: MemberRef; readonly value: Value }
  /** Runs another constructor on the same object. */
  | { readonly does: 'construct'; readonly method: MemberRef; readonly args: readonly Value[] }
  /** Makes another object, which gets to know this one. */
  | { readonly does: 'make'; readonly method: MemberRef }
  /** Code gets this object that may do anything to it. */
  | { readonly does: 'escape' }
  /** Code runs that does not know this object, unless it has got it before. */
  | { readonly does: 'call' };

export const unknown = (): Value => ({ is: 'other', holds: false });
export const constant = (value: number | bigint | string | null): Value => ({ is: 'constant', value });

export const reaches = (value: Value): boolean =>
  value.is === 'this' || value.is === 'parameter' || (value.is === 'other' && value.holds);
