import t from 'tap';
import { createGuard } from '../../../lib/http/guards.js';

const nosniff = { 'x-content-type-options': 'nosniff' };
const usual = {
  ...nosniff,
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': "frame-ancestors 'self' https://console.example.org",
};

t.test('what is added to the headers of an answer', (t) => {
  const guard = createGuard(['https://console.example.org', 'nonsense; script-src *', 'null']);
  const policy = 'content-security-policy';
  const cases: [own: Record<string, string | string[]>, told: object][] = [
    [{}, usual],
    [{ etag: '1' }, { etag: '1', ...usual }],
    [{ 'x-content-type-options': 'none' }, usual],
    [{ 'x-frame-options': 'DENY' }, { 'x-frame-options': 'DENY', ...nosniff }],
    [{ [policy]: 'frame-ancestors *' }, { [policy]: 'frame-ancestors *', ...nosniff }],
    [{ [policy]: "default-src 'self'" }, { ...usual, [policy]: `default-src 'self', ${usual[policy]}` }],
    [{ [policy]: ['sandbox', 'img-src *'] }, { ...usual, [policy]: `sandbox, img-src *, ${usual[policy]}` }],
  ];
  for (const [own, told] of cases) t.strictSame(guard(own), told, JSON.stringify(own));
  t.end();
});
