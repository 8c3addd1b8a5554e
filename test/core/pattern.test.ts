import t from 'tap';
import { compilePattern, patternSize } from '../../lib/core/pattern.js';

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
    '\\1',
  ]) {
    t.throws(
      () => compilePattern(pattern, 'query.pattern'),
      { status: 400, code: 'BAD_REQUEST', details: [{ path: 'query.pattern' }] },
      pattern,
    );
  }
});

t.test('the size counts what is repeated', async (t) => {
  for (const [pattern, size] of [
    ['abc', 3],
    ['a{10}', 10],
    ['a{2,5}b', 6],
    ['[a-z]{4}', 4],
    ['[]{9}]{4}', 4],
    ['\\{3}', 3],
    ['(ab){3}', 9],
    ['((a{10}){10}){10}', 1110],
    ['a{3,}', 3],
  ] as const) {
    t.equal(patternSize(pattern), size, pattern);
  }
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
