import t from 'tap';
import { compilePattern } from '../../../lib/formats/pattern.js';

const names = ['org.example.Parser', 'org.example.TopN', 'Parser'];

t.test('the whole text must match', async (t) => {
  for (const [pattern, found] of [
    ['.*Parser', ['org.example.Parser', 'Parser']],
    ['Parser', ['Parser']],
    ['org\\.example\\.(Top|Bottom)N', ['org.example.TopN']],
    ['(?i)parser', ['Parser']],
    ['', []],
    ['[Pp]arser|nothing', ['Parser']],
  ] as const) {
    t.strictSame(await compilePattern(pattern, 'query.pattern').whole(names, String), found, pattern);
  }
});

t.test('what can not be compiled in time is refused, naming the place', async (t) => {
  for (const pattern of [
    '(',
    '(?=a)',
    'a'.repeat(201),
    '.{1000}.{1000}.{1000}',
    '((a{10}){20}){20}',
    `\\Q[\\E${'(a?){1000}'.repeat(18)}`,
    `(?i)${'[B-\\x{1E942}]'.repeat(13)}`,
    '\\pL|\\pC|'.repeat(22),
    `^(?:${'()'.repeat(20)}\\pL|1()|2()|3()|4()|5()|6())*$`,
    '\\1',
  ]) {
    t.throws(
      () => compilePattern(pattern, 'query.pattern'),
      { status: 400, code: 'PATTERN_NOT_VALID', details: [{ path: 'query.pattern' }] },
      pattern,
    );
  }
});

t.test('names that are too long for a large pattern are refused in words', async (t) => {
  const large = compilePattern('(?:.*a){280}$', 'query.pattern');
  await t.rejects(large.whole(['a'.repeat(1000)], String), {
    status: 400,
    message: /a name of 1000 characters/,
  });
});

t.test('a pattern that blows up elsewhere ends, and others get their turn meanwhile', async (t) => {
  const evil = compilePattern('^(a+)+$', 'query.pattern');
  const texts = Array.from({ length: 3000 }, () => `${'a'.repeat(500)}!`);
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
  }, 1);
  t.strictSame(await evil.whole(texts, String), []);
  clearInterval(timer);
  t.ok(turns > 0, 'timers ran while it matched');
});
