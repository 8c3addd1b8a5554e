import assert from 'node:assert/strict';
import type { HostTest } from './host-test.js';
import { exchange, exchangeTarget, hostAnswer, type Received } from './host-wire.js';

const ofHost = (answer: Received) => {
  assert.equal(answer.status, 404);
  assert.equal(answer.headers['x-host'], 'yes');
  assert.equal(answer.text, hostAnswer);
};

const unknown = [
  '/ws/v1',
  '/ws/v1/applications',
  '/ws/v2',
  '/ws/v2/',
  '/ws/v2/probe',
  '/ws/v2/probe/unknown',
  '/ws/v2/probe/names/',
  '/ws/v2/probe/names/a/',
  '/ws/v2/probe/names/a/b',
  '/ws/v2/probe//names/a',
  '/ws/v2/probe/Names/a',
  '/ws/v2/unknown?x=1',
  '/proxy/nobody',
];
const ofOthers = ['/', '/index.html', '/ws', '/ws/v3', '/ws/v20', '/proxyx', '/WS/V2/probe/names/a'];

/** Which requests are the gateway's, and what it sees of their URLs. */
export function urlContract(test: HostTest, { parsesUrls }: { readonly parsesUrls: boolean }): void {
  seenUrlTests(test, parsesUrls);
  ownershipTests(test, parsesUrls);
}

/** What arrives of parameters, path and query. */
function seenUrlTests(test: HostTest, parsesUrls: boolean): void {
  test('parameters arrive decoded once, whatever they hold', async ({ baseUrl }) => {
    for (const name of [
      'plain',
      'a/b',
      '100%',
      '%2F',
      'two words',
      'grüße 👋',
      '?#&=;+:@!$',
      "'()*~",
      '{x}',
      '%25zz',
    ]) {
      const answer = await exchange(baseUrl, { path: `/ws/v2/probe/names/${encodeURIComponent(name)}` });
      assert.equal(answer.status, 200, name);
      assert.equal(answer.json()['name'], name);
    }
  });

  test('what may stand in a path unencoded arrives as it is', async ({ baseUrl }) => {
    const answer = await exchange(baseUrl, { path: "/ws/v2/probe/names/a;b=c,d:e@f!$&'()*+" });
    assert.equal(answer.json()['name'], "a;b=c,d:e@f!$&'()*+");
  });

  test('the rest of a path arrives undecoded', async ({ baseUrl }) => {
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/rest/a%2Fb//c/%zz/?x=1' });
    assert.deepEqual(answer.json(), { rest: 'a%2Fb//c/%zz/' });
  });

  test('a literal beats a parameter', async ({ baseUrl }) => {
    assert.deepEqual((await exchange(baseUrl, { path: '/ws/v2/probe/names/current' })).json(), {
      current: true,
    });
    assert.equal(
      (await exchange(baseUrl, { path: '/ws/v2/probe/names/curren%74' })).json()['name'],
      'current',
    );
  });

  test('malformed and dangerous parameters are refused with their place', async ({ baseUrl }) => {
    const dots = parsesUrls ? [] : ['..', '%2e%2e', '%2E'];
    for (const name of ['%zz', '%', '%E0%A4', '%00', 'a%0d%0ab', '%7f', ...dots]) {
      const answer = await exchange(baseUrl, { path: `/ws/v2/probe/names/${name}` });
      assert.equal(answer.status, 400, name);
      assert.match(answer.text, /"path":"params\.name"/, name);
    }
  });

  test('the query arrives, one given twice is refused', async ({ baseUrl }) => {
    const path = '/ws/v2/probe/names/a?x=1%202+3&y=%26&empty=&bare';
    const { query } = (await exchange(baseUrl, { path })).json();
    assert.deepEqual(query, { x: '1 2 3', y: '&', empty: '', bare: '' });
    const twice = await exchange(baseUrl, { path: '/ws/v2/probe/names/a?x=1&x=2' });
    assert.equal(twice.status, 400);
    assert.match(twice.text, /"path":"query\.x"/);
  });
}

/** What is the gateway's, and what goes on to the host. */
function ownershipTests(test: HostTest, parsesUrls: boolean): void {
  test("unknown paths below the gateway's prefixes answer 404 as JSON, others go on to the host", async ({
    baseUrl,
  }) => {
    for (const path of unknown) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const body = method === 'POST' ? { body: 'x=1' } : {};
        const answer = await exchange(baseUrl, { path, method, ...body });
        assert.deepEqual([answer.status, answer.headers['content-type']], [404, 'application/json'], path);
        assert.equal(answer.json()['code'], 'NOT_FOUND');
        assert.equal(answer.json()['requestId'], answer.headers['x-request-id']);
      }
    }
    for (const path of ofOthers) ofHost(await exchange(baseUrl, { path }));
  });

  test(
    'unknown paths go on to the host where it wants them',
    async ({ baseUrl }) => {
      for (const path of [...unknown, ...ofOthers]) ofHost(await exchange(baseUrl, { path }));
      ofHost(await exchange(baseUrl, { path: '/ws/v2/unknown', method: 'POST', body: 'x=1' }));
    },
    { unknownPaths: 'host' },
  );

  test('the host keeps its own paths beside the prefix', async ({ baseUrl }) => {
    const { pathname } = new URL(baseUrl);
    const beside =
      pathname === '/' ? [] : ['/ws/v2/probe/names/a', pathname, `${pathname}x/ws/v2/probe/names/a`];
    for (const target of ['/', '/other', '//ws/v2/probe/names/a', ...beside])
      ofHost(await exchangeTarget(baseUrl, target));
  });

  test('the target of OPTIONS * goes on to the host', async ({ baseUrl }) => {
    const answer = await exchangeTarget(baseUrl, '*', 'OPTIONS');
    // It is no URL.
    if (parsesUrls) assert.equal(answer.status, 400);
    else ofHost(answer);
  });

  test('absolute targets, as proxies send them, reach the gateway', async ({ baseUrl }) => {
    const answer = await exchangeTarget(baseUrl, `${baseUrl}/ws/v2/probe/names/a%2Fb?x=1`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json()['name'], 'a/b');
    ofHost(await exchangeTarget(baseUrl, `${baseUrl}/unknown`));
  });

  test('other methods on our paths answer 405 with those offered', async ({ baseUrl }) => {
    for (const method of ['DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await exchange(baseUrl, { method, path: '/ws/v2/probe/names/a' });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.allow, 'GET, HEAD');
      assert.equal(answer.json()['code'], 'METHOD_NOT_ALLOWED');
    }
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/documents/a' });
    assert.equal(answer.headers.allow, 'DELETE, PUT');
  });
}
