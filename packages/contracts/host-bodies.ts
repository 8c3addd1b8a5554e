import assert from 'node:assert/strict';
import type { HostTest } from './host-test.js';
import { exchange } from './host-wire.js';

const megabyte = 1024 * 1024;

const put = (baseUrl: string, body: string | Buffer, contentType = 'application/json') =>
  exchange(baseUrl, {
    method: 'PUT',
    path: '/ws/v2/probe/documents/a',
    headers: { 'content-type': contentType },
    body,
  });

/** JSON that clients send, well and ill. `parses`: media types that the host reads before us. */
export function bodyContract(test: HostTest, parses: readonly string[]): void {
  acceptedBodyTests(test);
  refusedBodyTests(test, parses.includes('application/json'));
  readBodyTests(test, parses);
}

function acceptedBodyTests(test: HostTest): void {
  test('JSON arrives, whatever the charset parameter and the letters in it', async ({ baseUrl }) => {
    const document = {
      text: 'grüße 👋',
      nested: [{ a: [1, 2.5, null, true] }],
      'key with "quotes"': '\u2028',
    };
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
      assert.deepEqual((await put(baseUrl, JSON.stringify(document), type)).json(), document);
    }
  });

  test('JSON in pieces arrives whole', async ({ baseUrl }) => {
    const document = { text: 'ü'.repeat(300_000) };
    assert.deepEqual((await put(baseUrl, JSON.stringify(document))).json(), document);
  });

  test('what is put is there for the next request', async ({ baseUrl }) => {
    const [path, body] = ['/ws/v2/probe/settings/a', '{"text":"grüße"}'];
    const headers = { 'content-type': 'application/json' };
    assert.equal((await exchange(baseUrl, { method: 'PUT', path, headers, body })).text, '{}');
    assert.equal((await exchange(baseUrl, { path })).text, body);
  });
}

/** Where the host has `parsed` JSON already, some of the words are those of its parser. */
function refusedBodyTests(test: HostTest, parsed: boolean): void {
  test('a wrong type of a value is refused with its place', async ({ baseUrl }) => {
    const answer = await put(baseUrl, '{"count":"many"}');
    assert.equal(answer.status, 400);
    assert.equal(answer.json()['code'], 'INVALID_INPUT');
    assert.match(answer.text, /"path":"body\.count"/);
  });

  test('malformed, deep and empty JSON is refused, and the next request is answered', async ({ baseUrl }) => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const bodies = {
      malformed: '{"a":',
      deep,
      deepObject: `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
      empty: '',
    };
    for (const [what, body] of Object.entries(bodies)) {
      const answer = await put(baseUrl, body);
      // A parser of the host answers in its own words, and some of them overflow.
      if (parsed) assert.ok(answer.status >= 400, what);
      else {
        assert.equal(answer.status, 400, what);
        assert.match(answer.text, /"path":"body"/, what);
      }
      assert.equal((await put(baseUrl, '{}')).status, 200);
    }
  });

  test('keys that reach for prototypes are refused and change nothing', async ({ baseUrl }) => {
    for (const body of ['{"__proto__":{"polluted":1}}', '{"a":[{"\\u005f_proto__":{"polluted":1}}]}']) {
      const answer = await put(baseUrl, body);
      assert.equal(answer.status, 400);
    }
    assert.equal((await put(baseUrl, '{"constructor":{"prototype":{"polluted":1}}}')).status, 200);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  test('JSON over the limit is refused while it comes, and the client reads why', async ({ baseUrl }) => {
    for (const body of [JSON.stringify('x'.repeat(megabyte)), Buffer.alloc(8 * megabyte, 'x')]) {
      const answer = await put(baseUrl, body);
      assert.equal(answer.status, 413);
      if (!parsed) assert.match(answer.text, /"limitBytes":1048576/);
    }
  });

  test('another content type is refused, whatever the body', async ({ baseUrl }) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await put(baseUrl, '{"a":1}', type);
      assert.equal(answer.status, 415, type);
      assert.match(answer.text, /application\/json/);
    }
  });
}

/** Bodies that nobody should read, and those that the host has read. */
function readBodyTests(test: HostTest, parses: readonly string[]): void {
  test('nobody unknown makes us read a body', async ({ baseUrl, probe }) => {
    const answer = await exchange(baseUrl, {
      method: 'POST',
      path: '/ws/v2/probe/private-uploads',
      body: Buffer.alloc(4 * megabyte),
    });
    assert.equal(answer.status, 401);
    assert.equal(probe.logs.length, 1);
  });

  for (const type of parses) {
    test(`an upload as ${type}, which the host has read already, is refused at once with what to do`, async ({
      baseUrl,
    }) => {
      const headers = { 'content-type': type };
      const answer = await exchange(baseUrl, {
        method: 'POST',
        path: '/ws/v2/probe/uploads',
        headers,
        body: '{"a":1}',
      });
      assert.equal(answer.status, 415);
      assert.equal(answer.json()['code'], 'BODY_ALREADY_READ');
      assert.match(String(answer.json()['message']), /before the body parser/);
    });
  }
}
