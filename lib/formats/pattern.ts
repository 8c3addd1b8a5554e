import { type Matcher, RE2JS } from 're2js';
import { BadRequest } from '../model/errors.js';
import { timeSlice } from '../runtime/event-loop.js';
import { patternSize } from './pattern-size.js';

/** Characters. */
const maxPatternLength = 200;
/** What a pattern may take, so that it is compiled in some milliseconds. */
const mostSteps = 2000;
const mostRanges = 24_000;
/**
 * For one that is tied to the beginning re2js asks from every step which characters lead on, and merges their ranges over
 * all steps in between: a fraction of a nanosecond each.
 */
const mostMerges = 10_000_000;
/** Milliseconds of matching before others get their turn. */
const sliceMillis = 10;

/** A regular expression from a client: linear in time whatever it says, and matched in slices. */
export interface Pattern {
  /** Those whose whole text matches. Rejects with `BadRequest` when one is too long for a pattern of that size. */
  whole<T>(items: readonly T[], textOf: (item: T) => string): Promise<T[]>;
  /** Characters that `occursIn` and a matcher can look at in one go. */
  readonly reach: number;
  /** Overlapping parts of a longer text: what matches within half a part is in one of them. */
  partsOf(text: string): readonly string[];
  occursIn(part: string): boolean;
  /** Of the places in a part. */
  matcher(part: string): Matcher;
}

/** Characters times size of the pattern: what is looked at in one go takes some milliseconds at the worst. */
const goes = 64 * 1024;
/**
 * Throws `BadRequest` naming what is wrong with the pattern. `where` is its place in the request. It takes some
 * milliseconds: who compiles several lets others have their turn in between.
 */
export function compilePattern(text: string, where: string): Pattern {
  if (text.length > maxPatternLength) throw bad(where, `is longer than ${maxPatternLength} characters`);
  const { steps, ranges, written, isAnchored } = patternSize(text);
  const merges = isAnchored ? steps * steps * written : 0;
  if (steps > mostSteps || merges > mostMerges) throw bad(where, 'repeats too much');
  if (ranges > mostRanges) throw bad(where, 'has too many or too large classes of characters');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw bad(where, `can't be read: ${why}`);
  }
  const reach = Math.ceil(goes / steps);
  return {
    reach,
    partsOf: (whole) => overlapping(whole, reach),
    occursIn: (part) => compiled.test(part),
    matcher: (part) => compiled.matcher(part),
    async whole(items, textOf) {
      const found: (typeof items)[number][] = [];
      const longest = 2 * reach;
      const slice = timeSlice(sliceMillis);
      for (const item of items) {
        const text = textOf(item);
        if (text.length > longest)
          throw bad(where, `repeats too much for a name of ${text.length} characters`);
        if (compiled.testExact(text)) found.push(item);
        if (slice.isOver()) await slice.next();
      }
      return found;
    },
  };
}

function overlapping(text: string, length: number): string[] {
  const step = Math.ceil(length / 2);
  const count = Math.ceil((text.length - length) / step) + 1;
  return Array.from({ length: count }, (_, at) => text.slice(at * step, at * step + length));
}

const bad = (where: string, what: string) =>
  new BadRequest('PATTERN_NOT_VALID', `The regular expression in ${where} ${what}`, [
    { path: where, message: what },
  ]);
