import t from 'tap';
import { createAnswerHeaders } from '../../../lib/http/answer-headers.js';
import { jsonHeaders } from '../../../lib/http/reply.js';

t.test('nearly all answers have the headers that any other would have', async (t) => {
  for (const origins of [[], ['https://console.example.org']]) {
    const headersOf = createAnswerHeaders(origins);
    const usual = headersOf('an-id', jsonHeaders, undefined);
    t.strictSame(usual, headersOf('an-id', { ...jsonHeaders }, undefined), 'what is joined');
    t.strictSame(usual, headersOf('an-id', jsonHeaders, {}), 'what its caller adds nothing to');
  }
});

t.test('what an answer says itself comes before what is added, and that before what all say', async (t) => {
  const headersOf = createAnswerHeaders([]);
  const added = { 'cache-control': 'private', etag: '"added"' };
  t.match(headersOf('an-id', { etag: '"own"' }, added), {
    'x-request-id': 'an-id',
    'cache-control': 'private',
    etag: '"own"',
    'x-content-type-options': 'nosniff',
  });
});
