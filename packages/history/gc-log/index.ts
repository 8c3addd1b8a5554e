import type { GcCollection } from 'headgate/driver-kit';
import { classicCollection } from './classic.js';
import { unifiedCollection } from './unified.js';

/** Characters: a line that tells of a collection is never longer. */
const maxLength = 4096;

/**
 * What a line of a JVM's garbage collection log tells, in unified logging (9 and later, and what the embedded engine
 * writes) or in the classic form (7 and 8, with date stamps). `undefined` for any other line.
 */
export function collectionOf(line: string): GcCollection | undefined {
  if (line.length > maxLength) return undefined;
  return unifiedCollection(line) ?? classicCollection(line);
}
