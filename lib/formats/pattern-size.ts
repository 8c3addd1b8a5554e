/** What compiling a pattern takes. All are bounds from above: what re2js makes of it is no larger. */
interface PatternSize {
  /** Instructions of the compiled pattern. A counted repetition copies what it repeats. */
  readonly steps: number;
  /** Ranges of characters that are put together for it; where case is ignored, the characters that are folded. */
  readonly ranges: number;
  /** The same without copies. */
  readonly written: number;
  /** It may begin at the beginning of a text only. */
  readonly isAnchored: boolean;
}

/** Reads a pattern token by token, as re2js does, and builds nothing. One that re2js refuses has any size. */
export function patternSize(text: string): PatternSize {
  const rangesOf = counting(/\(\?\w*i/.test(text));
  const around: Size[] = [];
  let open = begun();
  let last: Size = { steps: 0, ranges: 0 };
  let written = 0;
  let isAnchored = false;
  const close = (size: Size) => {
    last = size;
    open = plus(open, size);
  };
  const add = (ranges: number) => {
    written += ranges;
    close({ steps: 1, ranges });
  };
  for (let at = 0; at < text.length; ) {
    const { whole, parts } = tokenAt(token, text, at);
    at += whole.length;
    if (parts.group !== undefined) {
      around.push(open);
      open = begun();
    } else if (whole === ')') {
      const closed = open;
      open = around.pop() ?? begun();
      close(closed);
    } else if (parts.class !== undefined) {
      const { ranges, end } = classAt(text, at, rangesOf);
      at = end;
      add(ranges);
    } else if (parts.quoted !== undefined) {
      for (const character of parts.quoted) add(rangesOf.character(character));
    } else if (parts.min !== undefined) {
      const before = last;
      last = repeated(before, parts.min, parts.max);
      open = plus(open, { steps: last.steps - before.steps, ranges: last.ranges - before.ranges });
    } else if (isBranch.test(whole)) {
      // A branch and an empty way, or a loop over what may be empty.
      last = plus(last, { steps: 2, ranges: 0 });
      open = plus(open, { steps: 2, ranges: 0 });
    } else if (parts.flags === undefined) {
      isAnchored ||= whole === '^' || whole === '\\A';
      add(parts.known === undefined ? rangesOf.character(whole) : rangesOf.known(whole));
    }
  }
  // re2js refuses groups that nobody closes.
  return { ...around.reduce(plus, open), written, isAnchored };
}

type Size = Pick<PatternSize, 'steps' | 'ranges'>;

const plus = (a: Size, b: Size): Size => ({ steps: a.steps + b.steps, ranges: a.ranges + b.ranges });
/** Begin and end of a group, or of the whole, and a step where nothing is between them. */
const begun = (): Size => ({ steps: 3, ranges: 0 });

function repeated({ steps, ranges }: Size, min: string, max = min): Size {
  const times = Math.max(Number(min), Number(max), 1);
  const ways = max === '' ? 2 : Math.max(Number(max) - Number(min), 0);
  return { steps: steps * times + ways, ranges: ranges * times };
}

/** No class of Unicode has more, nor what is left of all characters without it. */
const unicodeRanges = 1000;

type Counting = ReturnType<typeof counting>;

function counting(ignoresCase: boolean) {
  return {
    /** One alone; two for the dot, which leaves out the end of a line. */
    character: (_: string) => (ignoresCase ? 4 : 2),
    known(name: string): number {
      if (/^\\p/i.test(name)) return ignoresCase ? 2 * unicodeRanges : unicodeRanges;
      return ignoresCase ? 128 : 5;
    },
    between: (from: string, to: string) =>
      ignoresCase ? 4 + Math.max(codePoint(to, 128) - codePoint(from, 0), 0) : 2,
  };
}

/** `ofLetter`: for an escape like `\n`, all of which mean one below 128. */
function codePoint(character: string, ofLetter: number): number {
  const [, hex, octal] = /^\\(?:x\{?([0-9a-f]+)\}?|([0-7]+))$/i.exec(character) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return character.startsWith('\\') ? ofLetter : (character.codePointAt(0) ?? 0);
}

/** Of the class whose first character is at `start`. */
function classAt(text: string, start: number, rangesOf: Counting): { ranges: number; end: number } {
  let ranges = 1;
  let at = text.startsWith('^', start) ? start + 1 : start;
  let isFirst = true;
  while (at < text.length && (isFirst || text[at] !== ']')) {
    isFirst = false;
    const { whole, parts } = tokenAt(member, text, at);
    at += whole.length;
    if (parts.known !== undefined) ranges += rangesOf.known(whole);
    else if (parts.to === undefined) ranges += rangesOf.character(whole);
    else ranges += rangesOf.between(parts.from ?? '', parts.to);
  }
  return { ranges, end: at + 1 };
}

const known = '(?<known>\\\\[pP]\\{[^}]*\\}|\\\\[pP][^{]|\\\\[dDsSwW])';
const character = '\\\\x\\{[0-9a-fA-F]+\\}|\\\\x[0-9a-fA-F]{2}|\\\\[0-7]{1,3}|\\\\[^]|[^]';
const number = '(?:0|[1-9]\\d*)';

const token = new RegExp(
  [
    '(?<flags>\\(\\?[a-zA-Z-]*\\))',
    '(?<group>\\((?:\\?[a-zA-Z-]*:|\\?P?<[^>]*>)?)',
    '(?<class>\\[)',
    '\\\\Q(?<quoted>[^]*?)(?:\\\\E|$)',
    known,
    `\\{(?<min>${number})(?:,(?<max>${number}?))?\\}`,
    character,
  ].join('|'),
  'uy',
);
const member = new RegExp(
  [
    known.replace('>', '>\\[:\\^?\\w+:\\]|'),
    `(?<from>${character})-(?<to>(?!\\])(?:${character}))`,
    character,
  ].join('|'),
  'uy',
);
const isBranch = /^[*+?|]$/;

function tokenAt(kind: RegExp, text: string, at: number) {
  kind.lastIndex = at;
  const found = kind.exec(text);
  return { whole: found?.[0] ?? text.slice(at, at + 1), parts: found?.groups ?? {} };
}
