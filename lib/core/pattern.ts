import { RE2JS } from 're2js';
import { BadRequest } from './errors.js';

/** Characters. */
const maxPatternLength = 200;
/** Steps of the compiled pattern: more takes too long to compile at one go. */
const maxPatternSize = 2000;
/** Milliseconds of matching before others get their turn. */
const slice = 10;

/** A regular expression from a client: linear in time whatever it says, and matched in slices. */
export interface Pattern {
  /** Those whose whole text matches. */
  whole<T>(items: readonly T[], textOf: (item: T) => string): Promise<T[]>;
  /** Characters that `occursIn` can look at in one go. */
  readonly reach: number;
  /** Overlapping parts of a longer text: what matches within half a part is in one of them. */
  partsOf(text: string): readonly string[];
  occursIn(part: string): boolean;
}

/** Characters times size of the pattern: what is looked at in one go takes some milliseconds at the worst. */
const goes = 64 * 1024;

/** Throws `BadRequest` naming what is wrong with the pattern. `where` is its place in the request. */
export function compilePattern(text: string, where: string): Pattern {
  if (text.length > maxPatternLength) throw bad(where, `is longer than ${maxPatternLength} characters`);
  if (patternSize(text) > maxPatternSize) throw bad(where, 'repeats too much');
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(text);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : '';
    throw bad(where, `can't be read: ${why}`);
  }
  const reach = Math.ceil(goes / Math.max(1, patternSize(text)));
  return {
    reach,
    partsOf: (whole) => overlapping(whole, reach),
    occursIn: (part) => compiled.test(part),
    async whole(items, textOf) {
      const found: (typeof items)[number][] = [];
      let until = performance.now() + slice;
      for (const item of items) {
        if (compiled.testExact(textOf(item))) found.push(item);
        if (performance.now() < until) continue;
        await new Promise((resolve) => setImmediate(resolve));
        until = performance.now() + slice;
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

/** How large the compiled pattern gets, from above: a counted repetition copies what it repeats. */
export function patternSize(text: string): number {
  const groups: number[] = [0];
  let atom = 0;
  const add = (size: number) => {
    atom = size;
    groups.push((groups.pop() ?? 0) + size);
  };
  for (const [token, counted] of text.matchAll(tokens)) {
    if (token === '(') groups.push(0);
    else if (token === ')') add(groups.length > 1 ? (groups.pop() ?? 0) + 1 : 1);
    else if (counted === undefined) add(1);
    else {
      const times = Math.max(...counted.split(',').map(Number), 1);
      groups.push((groups.pop() ?? 0) + atom * (times - 1));
      atom *= times;
    }
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** A class of characters, an escape, a counted repetition, or one character. */
const tokens = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\{(\d+(?:,\d*)?)\}|[\s\S]/gu;

const bad = (where: string, what: string) =>
  new BadRequest(`The regular expression in ${where} ${what}`, [{ path: where, message: what }]);
