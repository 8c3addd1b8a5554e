import t from 'tap';
import { compilePattern, type Pattern } from '../../../lib/formats/pattern.js';
import { someMadePatterns } from '../../helpers/made-patterns.js';
import { openThreadClock } from '../../helpers/thread-clock.js';

// Any user may send regular expressions, and they are compiled and matched on the event loop: none holds it for long.
// `node build/test/stages/attacks/patterns.test.js 1000000 7` tries that many, others for each seed, however long it takes.

const [count = 300_000, seed = 1] = process.argv.slice(2).map(Number);
/** Of processor time, milliseconds. */
const most = 20;
/** By the clock, where no count was asked for. */
const enoughMillis = 50_000;
t.setTimeout(3_600_000);

const spent = openThreadClock();

/** Of several goes the quickest: in the others something else was done too. */
function millisOf(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let go = 0; go < 10 && least > most / 4; go++) {
    const before = spent();
    work();
    least = Math.min(least, spent() - before);
  }
  return least;
}

function compiled(text: string): Pattern | undefined {
  try {
    return compilePattern(text, 'query.pattern');
  } catch {
    return undefined;
  }
}

/** The longest of compiling, of looking into a text for the first time, and of finding places and groups in one. */
function slowest(pattern: string): number {
  const compiling = millisOf(() => compiled(pattern));
  const { reach = 0 } = compiled(pattern) ?? {};
  const texts = ['aabé1 B'.repeat(Math.ceil(reach / 7)).slice(0, reach), 'a'.repeat(reach)];
  const looking = texts.map((text) => millisOf(() => compiled(pattern)?.occursIn(text)));
  const finding = texts.map((text) => millisOf(() => compiled(pattern)?.matcher(text).find()));
  return Math.max(compiling, ...(reach > 0 ? [...looking, ...finding] : []));
}

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

t.test('patterns that were made to be slow', async (t) => {
  for (const pattern of [
    `\\Q[\\E${'(a?){1000}'.repeat(18)}`,
    `(?i)${'[B-\\x{1E942}]'.repeat(14)}`,
    '(?i)[\\x{100}-\\x{5E42}]',
    '\\pL'.repeat(66),
    `(?i)${'\\PL'.repeat(11)}`,
    `${'\\pL|\\pC|'.repeat(11)}a`,
    `[${'\\pL\\pC'.repeat(11)}]`,
    '\\pL{23}',
    '(?:\\pL?){23}',
    `^${'((((\\pL))))'.repeat(5)}`,
    `^(?:${'()'.repeat(12)}\\pL|1()|2()|3()|4()|5())*$`,
    `^(?:${letters.map((letter) => `${letter}?`).join('')}_){4}$`,
    `${'('.repeat(95)}a${')'.repeat(95)}{6}`,
    `(?:${'(.?)'.repeat(40)}){7}$`,
    `(?:${'(.*)'.repeat(40)}){7}$`,
    '(?:.*){280}$',
    '.{1000}',
    '(?s).*(?:a.{600})$',
  ]) {
    const millis = slowest(pattern);
    t.ok(millis <= most, `${millis.toFixed(1)} ms: ${pattern}`);
  }
});

t.test('patterns by chance', async (t) => {
  const until = process.argv.length > 2 ? Number.POSITIVE_INFINITY : performance.now() + enoughMillis;
  let tried = 0;
  let slow = 0;
  for (const pattern of someMadePatterns(count, seed)) {
    if (performance.now() > until) break;
    tried++;
    const before = spent();
    const reach = compiled(pattern)?.reach;
    // Matching is asked of some: it builds more than compiling does.
    if (spent() - before <= most / 2 && (reach === undefined || tried % 10 > 0)) continue;
    const millis = slowest(pattern);
    slow = Math.max(slow, millis);
    if (millis > most) t.fail(`${millis.toFixed(1)} ms: ${JSON.stringify(pattern)}`);
  }
  t.ok(tried > 1000, `${tried} patterns were tried`);
  t.comment(`${tried} patterns, the slowest of those that were looked at twice: ${slow.toFixed(1)} ms`);
});
