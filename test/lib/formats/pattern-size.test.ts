import { RE2JS } from 're2js';
import t from 'tap';
import { patternSize } from '../../../lib/formats/pattern-size.js';
import { someMadePatterns } from '../../helpers/made-patterns.js';

t.test('counts what is repeated, and what is quoted as what it is', async (t) => {
  for (const [pattern, steps] of [
    ['abc', 3],
    ['a{10}', 10],
    ['a{2,5}b', 9],
    ['a{3,}', 5],
    ['[a-z]{4}', 4],
    ['[]{9}]{4}', 4],
    ['[^]{9}]{4}', 4],
    ['[[:alpha:]]{4}', 4],
    ['[[:alpha:]{4}', 1],
    ['\\{3}', 3],
    ['a{03}', 5],
    ['(ab){3}', 15],
    ['(?:ab){3}', 15],
    ['((a{10}){10}){10}', 1330],
    ['\\Qa{10}\\E', 5],
    ['\\Q[\\E(a?){1000}', 6001],
    ['\\Q(((\\E(a?){1000}', 6003],
    ['[\\Q](a?){1000}', 6001],
    ['a{1000}(?i){10}', 10_000],
    ['a{1000}\\Q\\E{10}', 10_000],
    ['\\x{10}{3}', 3],
    ['\\p{Greek}{3}', 3],
  ] as const) {
    t.equal(patternSize(pattern).steps - patternSize('').steps, steps, pattern);
  }
});

t.test(
  'counts the ranges of classes, and the characters that are folded where case is ignored',
  async (t) => {
    for (const [pattern, least] of [
      ['\\pL{20}', 20_000],
      ['[\\pL\\PN]', 2000],
      ['(?i)[B-\\x{1E942}]', 125_000],
      ['(?i)[^\\101-\\x{1E942}]', 125_000],
      ['(?i)[^-z-\\x{ffff}]', 65_000],
      ['[(?i:]', 1],
      ['(?si:[a-\\x{fff}]{3})', 12_000],
      ['[a-\\x{1E942}]{3}', 6],
    ] as const) {
      t.ok(patternSize(pattern).ranges >= least, pattern);
    }
    t.equal(patternSize('[a-\\x{1E942}]').ranges, 3, 'a range is one where case matters');
  },
);

t.test('no class of Unicode is larger than what is counted for one', async (t) => {
  const names = [
    'L',
    'Lu',
    'Ll',
    'Lo',
    'M',
    'Mn',
    'N',
    'Nd',
    'P',
    'S',
    'So',
    'C',
    'Cn',
    'Assigned',
    'Any',
    'Z',
  ];
  for (const name of [...names, 'Latin', 'Greek', 'Han', 'Common', 'Inherited', 'Arabic'])
    for (const pattern of [`\\p{${name}}`, `\\P{${name}}`, `(?i)\\p{${name}}`, `(?i)\\P{${name}}`])
      t.ok(rangesOf(pattern) <= 1000, pattern);
});

t.test('what re2js makes of a pattern is never larger', async (t) => {
  let made = 0;
  for (const pattern of someMadePatterns(8000, 1)) {
    const size = patternSize(pattern);
    if (size.steps > 5000 || size.ranges > 50_000) continue;
    const steps = stepsOf(pattern);
    if (steps === undefined) continue;
    made++;
    if (steps <= size.steps && rangesOf(pattern) <= size.ranges) continue;
    t.fail(`${JSON.stringify(pattern)} takes more than ${JSON.stringify(size)}`);
  }
  t.ok(made > 1000, `${made} patterns were compiled`);
});

function stepsOf(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).matcher('').programSize();
  } catch {
    return undefined;
  }
}

function rangesOf(pattern: string): number {
  const { inst } = RE2JS.compile(pattern).re2().prog;
  return inst.reduce(
    (sum: number, { runes }: { runes?: ArrayLike<number> }) => sum + (runes?.length ?? 0) / 2,
    0,
  );
}
