import type { GcCollection } from 'headgate/driver-kit';
import { bytesOf, collection, timeOf } from './heap.js';

/** `-XX:+PrintGCDateStamps` is needed: without the date a line can't be put in order among those of other containers. */
const opening = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}): (?:\d{1,12}\.\d{3}: )?\[(?:Full )?GC\b/;
const triple = /(\d{1,12})([KMG])->(\d{1,12})([KMG])\((\d{1,12})([KMG])\)/g;
const seconds = /, (\d{1,9}(?:\.\d{1,9})?) secs\]/;

/**
 * A collection as JVMs 7 and 8 write it, with or without details: the heap is the last triple that is in no inner
 * bracket, and the first seconds after it are the duration of all.
 */
export function classicCollection(line: string): GcCollection | undefined {
  const found = opening.exec(line);
  const startTime = found && timeOf(found[1] ?? '');
  if (startTime === null || startTime === undefined) return undefined;
  const outer = withoutInner(line);
  const heap = [...outer.matchAll(triple)].at(-1);
  const duration = heap && seconds.exec(outer.slice(heap.index))?.[1];
  if (!heap || duration === undefined) return undefined;
  const [, before = '', beforeUnit = '', after = '', afterUnit = '', capacity = '', unit = ''] = heap;
  return collection({
    startTime,
    before: bytesOf(before, beforeUnit),
    after: bytesOf(after, afterUnit),
    capacity: bytesOf(capacity, unit),
    duration: Number(duration) * 1000,
  });
}

/** The text outside of brackets within brackets. */
function withoutInner(line: string): string {
  let depth = 0;
  let kept = '';
  for (const character of line) {
    if (character === '[') depth++;
    if (depth <= 1) kept += character;
    if (character === ']') depth = Math.max(0, depth - 1);
  }
  return kept;
}
