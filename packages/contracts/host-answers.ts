import assert from 'node:assert/strict';
import type { HostTest } from './host-test.js';
import { exchange } from './host-wire.js';

/** What comes back: status, headers, errors, and their line in the log. */
export function answerContract(test: HostTest): void {
  wireTests(test);
  logLineTests(test);
  requestTests(test);
}

/** Status, headers and body. */
function wireTests(test: HostTest): void {
  test('JSON is exactly application/json, with its length, and never cached', async ({ baseUrl }) => {
    const { headers, text } = await exchange(baseUrl, {
      path: '/ws/v2/probe/names/grüße'.replace('üß', '%C3%BC%C3%9F'),
    });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
    assert.equal(headers['cache-control'], 'no-store');
  });

  test('an operation without an answer says {}', async ({ baseUrl }) => {
    const headers = { authorization: 'Bearer probe' };
    const answer = await exchange(baseUrl, { method: 'DELETE', path: '/ws/v2/probe/documents/a', headers });
    assert.deepEqual([answer.status, answer.text], [200, '{}']);
  });

  test('HEAD answers the headers of GET and no body', async ({ baseUrl, probe }) => {
    const path = '/ws/v2/probe/names/a';
    const [get, head] = [
      await exchange(baseUrl, { path }),
      await exchange(baseUrl, { method: 'HEAD', path }),
    ];
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.equal(head.headers['content-length'], get.headers['content-length']);
    const file = '/ws/v2/probe/downloads/a.zip?size=5000000';
    const answer = await exchange(baseUrl, { method: 'HEAD', path: file });
    assert.equal(answer.headers['content-length'], '5000000');
    assert.equal(probe.source?.destroyed, true);
  });

  test('status and headers arrive as they are, several cookies too', async ({ baseUrl }) => {
    for (const status of [200, 201, 302, 404, 418, 503]) {
      const answer = await exchange(baseUrl, { path: `/ws/v2/probe/statuses/${status}` });
      assert.equal(answer.status, status);
      assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
      assert.equal(answer.headers['content-type'], 'text/plain');
      assert.equal(answer.text, 'as it came');
    }
    for (const status of [204, 304]) {
      const answer = await exchange(baseUrl, { path: `/ws/v2/probe/statuses/${status}` });
      assert.deepEqual([answer.status, answer.headers['x-probe'], answer.text], [status, 'yes', '']);
    }
  });
}

/** What connects an answer with the log. */
function logLineTests(test: HostTest): void {
  test('an error has a sentence, a code and the id of its line in the log', async ({ baseUrl, probe }) => {
    const answer = await exchange(baseUrl, { method: 'DELETE', path: '/ws/v2/probe/documents/a' });
    const { message, code, requestId, ...more } = answer.json();
    assert.equal(answer.status, 401);
    assert.equal(code, 'NOT_LOGGED_IN');
    assert.ok(message);
    assert.deepEqual(more, {});
    assert.equal(requestId, answer.headers['x-request-id']);
    assert.deepEqual(
      probe.logs.map((line) => [line['requestId'], line['status'], line['code'], line['path']]),
      [[requestId, 401, 'NOT_LOGGED_IN', '/ws/v2/probe/documents/a']],
    );
  });

  test('good answers carry the id of their line too', async ({ baseUrl, probe }) => {
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/names/a' });
    assert.equal(answer.headers['x-request-id'], probe.logs[0]?.['requestId']);
  });
}

/** What the host tells of a request, and keeps apart from others. */
function requestTests(test: HostTest): void {
  test('the address of the peer arrives', async ({ baseUrl }) => {
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/names/a', headers });
    assert.match(String(answer.json()['remoteAddress']), /^(::ffff:)?127\.0\.0\.1$/);
  });

  test('changes from pages of another origin are refused, from our own and from programs not', async ({
    baseUrl,
  }) => {
    const statusFrom = async (method: string, headers: Record<string, string>) => {
      const path = method === 'GET' ? '/ws/v2/probe/names/a' : '/ws/v2/probe/documents/a';
      const authorization = 'Bearer probe';
      return (await exchange(baseUrl, { method, path, headers: { authorization, ...headers } })).status;
    };
    assert.equal(await statusFrom('DELETE', { origin: 'https://evil.example' }), 403);
    assert.equal(await statusFrom('DELETE', { origin: 'null' }), 403);
    assert.equal(await statusFrom('DELETE', { 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await statusFrom('DELETE', { origin: new URL(baseUrl).origin }), 200);
    assert.equal(await statusFrom('DELETE', {}), 200);
    assert.equal(await statusFrom('GET', { origin: 'https://evil.example' }), 200);
  });

  test('many requests at once get their own answers', async ({ baseUrl }) => {
    const names = Array.from({ length: 100 }, (_, i) => `name ${i}`);
    const answers = await Promise.all(
      names.map((name) => exchange(baseUrl, { path: `/ws/v2/probe/names/${encodeURIComponent(name)}` })),
    );
    assert.deepEqual(
      answers.map((answer) => answer.json()['name']),
      names,
    );
  });
}
