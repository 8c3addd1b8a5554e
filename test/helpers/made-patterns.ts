// Regular expressions by chance, out of all that the syntax has, with a preference for what costs.

const atoms = [
  ...[
    'a',
    'b',
    'ab',
    '.',
    '^',
    '$',
    '\\b',
    '\\d',
    '\\W',
    '\\101',
    '\\xff',
    '\\n',
    '\\x{1E942}',
    'é',
    '😀',
    '\\A',
    '\\z',
  ],
  ...[
    '\\pL',
    '\\PL',
    '\\p{Greek}',
    '\\P{Cn}',
    '\\p{^Lu}',
    '\\p{Assigned}',
    '[\\pL\\pN]',
    '[^\\pC\\x{300}-\\x{30ff}]',
  ],
  ...[
    '[a-z]',
    '[^a]',
    '[]a]',
    '[^]-z]',
    '[^-z-\\x{ffff}]',
    '[[:alpha:]]',
    '[[:^word:]\\d]',
    '[\\[-\\]]',
    '[a\\]b',
    '[[:',
  ],
  ...[
    '[B-\\x{1E942}]',
    '[\\x{100}-\\x{ffff}]',
    '[\\x{41}-\\x{3ff}]',
    '[',
    '[^',
    '{',
    '}',
    '-',
    ']',
    '\\]',
    '\\\\',
    '\\',
  ],
  ...['\\Q[\\E', '\\Q(a?){1000}\\E', '\\Q', '\\E', '\\Q\\E', '[\\Q', '\\Q(\\E', '\\Q\\\\E'],
];
const repetitions = [
  ...[
    '*',
    '+',
    '?',
    '*?',
    '??',
    '{2}',
    '{10}',
    '{100}',
    '{1000}',
    '{2,}',
    '{0,3}',
    '{3,9}',
    '{0}',
    '{01}',
    '{,3}',
    '{5}?',
  ],
  ...['{1000,}', '{1,1000}', '{9', '{2}'],
];
const opening = ['(', '(', '(?:', '(?i:', '(?P<n>', '(?<x1>', '(?s-m:', '(?<i'];
const between = ['(?i)', '(?)', '(?U)', '(?-s)', '|', '|', '\\Q\\E'];

/** The same ones for the same seed. At most 200 characters long. */
export function* someMadePatterns(count: number, seed: number): Generator<string> {
  const chance = chances(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(chance() * from.length)] ?? '';
  for (let made = 0; made < count; made++) {
    const palette = Array.from({ length: 1 + Math.floor(chance() * 6) }, () => pick(atoms));
    const length = 1 + Math.floor(chance() ** 2 * 60);
    let text = chance() < 0.2 ? '(?i)' : '';
    let depth = 0;
    const close = () => {
      depth--;
      text += `)${chance() < 0.5 ? pick(repetitions) : ''}`;
    };
    for (let at = 0; at < length && text.length < 190; at++) {
      const which = chance();
      if (which < 0.5) text += pick(palette);
      else if (which < 0.7) text += pick(repetitions);
      else if (which < 0.8) {
        text += pick(opening);
        depth++;
      } else if (which < 0.9 && depth > 0) close();
      else text += pick(which < 0.94 ? between : atoms);
    }
    while (depth > 0 && text.length < 195) close();
    yield text.slice(0, 200);
  }
}

/** Numbers from 0 to 1 (Mulberry32). */
function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
