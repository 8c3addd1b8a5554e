import { resolve } from 'node:path';

/**
 * A path that a host gives among its options, for good: resolved where the options are read. The host may change its
 * directory later, and children begin elsewhere.
 */
export const absolutePath = (given: string): string => resolve(given);

/** The same for a program. A name alone stays what it is: the system looks for it in `PATH`. */
export const absoluteProgram = (given: string): string => (/[/\\]/.test(given) ? resolve(given) : given);
