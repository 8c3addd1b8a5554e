import { createServer } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import t from 'tap';
import { isSecretName } from '../../../lib/formats/secret-names.js';
import { exchange } from '../../../lib/forwarding/exchange.js';
import { passingToClient, passingToTarget, passingTrailers } from '../../../lib/forwarding/headers.js';
import { locationForClient } from '../../../lib/forwarding/locations.js';
import { normalRest } from '../../../lib/forwarding/path.js';
import { joinedQuery } from '../../../lib/forwarding/query.js';
import { redactSecrets } from '../../../lib/forwarding/redact.js';
import { sentBody } from '../../../lib/forwarding/sent-body.js';
import type { GatewayRequest } from '../../../lib/http/request.js';
import { listening } from '../../helpers/listening.js';

// What a proxy sends on, as tables, and one answer that takes its time.

t.test('paths are made normal before anybody looks at them', async (t) => {
  const good: [string, string][] = [
    ['cluster/info', 'cluster/info'],
    ['', ''],
    ['a/../b', 'b'],
    ['a/./b/', 'a/b/'],
    ['a/b/..', 'a/'],
    ['a/%2e%2E/b', 'b'],
    ['a%2Fb%20c', 'a%2Fb%20c'],
    ['a//b', 'a//b'],
    ['//evil.example/x', '//evil.example/x'],
    ['a;v=1/b', 'a;v=1/b'],
    ['.../x', '.../x'],
    ['http://evil.example/', 'http://evil.example/'],
    ['100%25', '100%25'],
  ];
  for (const [rest, normal] of good) t.equal(normalRest(rest), normal, rest);
  const bad = [
    '..',
    'a/../../b',
    '%2e%2e/x',
    'a/%2e%2e/../x',
    'a/..;/b',
    '..;x=1/b',
    'a\\..\\b',
    'a/..%2fb',
    '..%2f..%2fconf',
    'a/%252e%252e/b',
    '%252e%252e%252fconf',
    '%25252e%25252e/conf',
    'a/%5c../b',
    'a%00b',
    'a%250ab',
    'a%zzb',
    'a b',
    'grüße',
  ];
  for (const rest of bad) t.throws(() => normalRest(rest), { name: 'BadRequest' }, rest);
});

t.test('no path leads out of its prefix, whoever reads it', async () => {
  const piece = fc.constantFrom('..', '.', '%2e', '/', '%2f', '%5c', '\\', ';', '%25', '2e', 'a', '%', '25');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let rest: string;
      try {
        rest = normalRest(pieces.join(''));
      } catch {
        return true;
      }
      const read = (path: string) => new URL(`http://h/base/${path}`).pathname.startsWith('/base/');
      let decoded = rest;
      for (let round = 0; round < 4; round++) {
        if (!read(decoded)) return false;
        decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
      }
      return true;
    }),
    { numRuns: 3000 },
  );
});

t.test('queries: the target’s own parameters win, and nobody says who they are', async (t) => {
  const own = new URLSearchParams('user.name=hadoop');
  const isRefused = (name: string) => name.toLowerCase() === 'doas';
  const joined = (sent: string) => joinedQuery(sent, own, isRefused);
  t.equal(joined(''), '?user.name=hadoop');
  t.equal(joined('a=1&b=%2F+x&a=2'), '?a=1&b=%2F+x&a=2&user.name=hadoop');
  t.equal(joined('user.name=root&user%2ename=root&a'), '?a&user.name=hadoop');
  t.equal(joined('doAs=root&do%41s=root&a=1'), '?a=1&user.name=hadoop');
  t.equal(joinedQuery('', new URLSearchParams(), isRefused), '');
});

t.test('headers that go to a target', async (t) => {
  const sent = {
    accept: '*/*',
    'content-type': 'application/json',
    'x-custom': '1',
    authorization: 'Basic x',
    cookie: 'headgate_session=1',
    connection: 'close, X-Custom-Hop',
    'x-custom-hop': '1',
    'keep-alive': 'timeout=5',
    te: 'trailers',
    upgrade: 'h2c',
    'http2-settings': 'x',
    'transfer-encoding': 'chunked',
    'proxy-authorization': 'Basic x',
    expect: '100-continue',
    host: 'gateway',
    forwarded: 'for=1.2.3.4',
    'x-forwarded-user': 'root',
    'x-forwarded-for': '1.2.3.4',
    'x-real-ip': '1.2.3.4',
    'x-remote-user': 'root',
    'remote-user': 'root',
    x_forwarded_user: 'root',
    'content-length': '5',
  };
  t.strictSame(passingToTarget(sent, 'web', new Set()), {
    accept: '*/*',
    'content-type': 'application/json',
    'x-custom': '1',
  });
  t.strictSame(passingToTarget(sent, 'api', new Set()), {
    accept: '*/*',
    'content-type': 'application/json',
  });
});

t.test('headers and trailers that come from a target', async (t) => {
  const headers = passingToClient({
    'content-type': 'text/html',
    etag: '"1"',
    connection: 'keep-alive, x-hop',
    'x-hop': '1',
    'keep-alive': 'timeout=5',
    'transfer-encoding': 'chunked',
    trailer: 'x-sum',
    'strict-transport-security': 'max-age=1',
    'clear-site-data': '"*"',
    'access-control-allow-origin': '*',
    'service-worker-allowed': '/',
    'www-authenticate': 'Negotiate',
    'x-request-id': '1',
  });
  t.strictSame(headers, { 'content-type': 'text/html', etag: '"1"', trailer: 'x-sum' });
  t.strictSame(
    passingTrailers({ 'x-sum': '7', 'set-cookie': 'a=1', 'content-length': '1', 'x-bad': 'a\nb' }),
    { 'x-sum': '7' },
  );
});

t.test('places are told relative to what was asked for', async (t) => {
  const base = new URL('http://rm:8088/ws/v1/?user.name=hadoop');
  const place = (value: string, rest = 'cluster/apps') => locationForClient(value, { base, rest });
  t.equal(place('http://rm:8088/ws/v1/cluster/apps/a_1?user.name=hadoop'), '../cluster/apps/a_1');
  t.equal(place('/ws/v1/cluster/apps/a_1?x=1#y'), '../cluster/apps/a_1?x=1#y');
  t.equal(place('a_1'), '../cluster/a_1');
  t.equal(place('/ws/v1/', 'info'), './');
  t.equal(place('/ws/v1/a:b', 'info'), './a:b', 'not a scheme');
  for (const elsewhere of [
    'http://rm2:8088/ws/v1/cluster',
    '//evil/x',
    '/conf',
    'javascript:alert(1)',
    'http://[',
  ]) {
    t.equal(place(elsewhere), undefined, elsewhere);
  }
});

t.test('a body that the host has read', async (t) => {
  const drained = Readable.from(['{"a":1}']);
  await text(drained);
  const request = (type: string, parsedBody: unknown): GatewayRequest => ({
    method: 'POST',
    url: '/',
    headers: { 'content-type': type, 'content-length': '7', 'content-encoding': 'gzip' },
    remoteAddress: '127.0.0.1',
    body: drained,
    parsedBody,
    raw: undefined,
    signal: new AbortController().signal,
  });
  const anew = sentBody(request('application/json; charset=utf-8', { a: 'ü' }));
  t.strictSame(anew?.headers, { 'content-length': '10', 'content-encoding': 'identity' });
  t.equal(await text(anew?.stream ?? Readable.from([])), '{"a":"ü"}', 'of JSON nothing is lost');
  for (const [type, parsed] of [
    ['application/x-www-form-urlencoded', { a: '1' }],
    ['application/json', undefined],
  ] as const)
    t.throws(() => sentBody(request(type, parsed)), { name: 'BodyAlreadyRead' }, type);
  t.equal(sentBody({ ...request('', undefined), headers: {} }), undefined, 'there is none');
});

t.test('secrets in JSON are gone, wherever the pieces are cut', async (t) => {
  const json = JSON.stringify({
    attributes: { GATEWAY_PASSWORD: 'hu"s\\h', APPLICATION_NAME: 'PASSWORD', note: '"GATEWAY_PASSWORD":"x"' },
    my_token: 12,
    Secret: { path: '/k', keyPassword: null },
    window: '6508923749238749238',
    list: [{ credential: true, last: 'é' }],
  });
  const expected = JSON.parse(json);
  expected.attributes.GATEWAY_PASSWORD = null;
  expected.my_token = null;
  expected.Secret = null;
  expected.list[0].credential = null;
  const bytes = Buffer.from(json);
  for (const size of [1, 2, 3, 7, 50, 10_000]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const passed = await text(Readable.from(pieces).pipe(redactSecrets(isSecretName)));
    t.strictSame(JSON.parse(passed), expected, `pieces of ${size}`);
  }
  const spaced =
    '{ "a\\u0050assword" : "x" , "PASSWORD" : [ "}]\\"" , {"a":[1]} ] , "token":{}, "x":["SECRET" , {"SECRET":[ ]}] }';
  const hidden =
    '{ "a\\u0050assword" : null , "PASSWORD" : null , "token":null, "x":["SECRET" , {"SECRET":null}] }';
  for (const pieces of [[spaced], [...spaced]]) {
    const odd = Readable.from(pieces.map((piece) => Buffer.from(piece))).pipe(redactSecrets(isSecretName));
    t.equal(await text(odd), hidden, `${pieces.length} pieces`);
  }
});

t.test(
  'an answer that began before the request ended may go on for longer than it may take to begin',
  async (t) => {
    const answerMillis = 50;
    const server = createServer((req, res) => {
      res.write('early, ');
      req.resume().once('end', () => setTimeout(() => res.end('late'), 4 * answerMillis));
    });
    const { baseUrl, close } = await listening(server);
    t.teardown(close);
    const body = new PassThrough();
    body.write('half');
    const { answer } = await exchange({
      method: 'POST',
      base: new URL(baseUrl),
      path: '/',
      headers: { 'transfer-encoding': 'chunked' },
      agent: undefined,
      body,
      trailers: undefined,
      client: { signal: new AbortController().signal },
      what: 'The server',
      limits: { connectMillis: 5000, answerMillis, idleMillis: 5000 },
    });
    body.end(' and half');
    t.equal(await text(answer), 'early, late');
  },
);
