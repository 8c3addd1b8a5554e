import { Readable } from 'node:stream';
import t from 'tap';
import { z } from 'zod';
import { jsonBody } from '../../../lib/http/body.js';
import { createDispatch, type DispatchOptions } from '../../../lib/http/dispatch.js';
import { empty, File, file, json, Text, text } from '../../../lib/http/reply.js';
import type { GatewayRequest, GatewayResponse } from '../../../lib/http/request.js';
import { routeFor } from '../../../lib/http/route.js';
import { buildTable } from '../../../lib/http/table.js';
import { Conflict, Forbidden, Unreachable } from '../../../lib/model/errors.js';
import type { Permission } from '../../../lib/model/permissions.js';
import { machineClock } from '../../../lib/options.js';
import { type LogLine, loggerInto } from '../../helpers/gateway.js';

interface Room {
  readonly done: string[];
  act(): unknown;
}
const route = routeFor<Room>();
const Params = z.object({ name: z.string().max(5) });

const room = {
  getThing: route({
    method: 'GET',
    path: '/things/{name}',
    access: 'public',
    summary: 'Whatever the test wants',
    params: Params,
    query: z.object({ limit: z.coerce.number().int().default(10) }),
    reply: json(z.unknown()),
    handle: (service, { params, query, user }) =>
      service.act() ?? { ...params, ...query, user: user.userName },
  }),
  guarded: route({
    method: 'PUT',
    path: '/things/{name}',
    access: 'MANAGE_USERS',
    licensed: 'APP_BUILDER',
    requires: 'master.recorder',
    deprecated: 'use another',
    summary: 'With every gate there is',
    params: Params,
    body: jsonBody(z.object({ a: z.number() })),
    reply: empty,
    handle: (service, { setHeader }) => {
      service.done.push('guarded');
      setHeader('x-more', 'yes');
    },
  }),
  getText: route({
    method: 'GET',
    path: '/text',
    access: 'user',
    summary: 'Text as it comes',
    reply: text(),
    handle: (service) => new Text(Readable.from(asyncLines(service))),
  }),
  getFile: route({
    method: 'GET',
    path: '/empty-file',
    access: 'public',
    summary: 'A file of no bytes',
    reply: file('application/zip'),
    handle: () => new File(Readable.from([]), 'empty.zip', 0),
  }),
};

async function* asyncLines(service: Room) {
  yield 'first\n';
  await service.act();
  yield 'second\n';
}

function harness(
  options: Partial<DispatchOptions> & { act?: () => unknown; permissions?: Permission[] } = {},
) {
  const logs: LogLine[] = [];
  const service: Room = { done: [], act: options.act ?? (() => undefined) };
  const dispatch = createDispatch({
    table: buildTable({ room }, { room: service }),
    authenticate: async ({ headers }) => {
      const userName = headers['x-user'];
      return typeof userName === 'string' ? { userName } : undefined;
    },
    principalOf: (identity) => ({
      userName: identity.userName,
      roles: [],
      permissions: new Set(options.permissions),
      isAdmin: false,
      identity,
    }),
    requireLicense: () => {},
    driverName: 'test',
    capabilities: new Set(['master.recorder'] as const),
    origins: [],
    logger: loggerInto(logs),
    clock: machineClock,
    ...options,
  });
  const send = (method: string, url: string, more: Partial<GatewayRequest> = {}) =>
    dispatch({
      method,
      url,
      remoteAddress: '127.0.0.1',
      body: Readable.from([]),
      raw: undefined,
      signal: new AbortController().signal,
      ...more,
      headers: { host: 'h', ...more.headers },
    });
  return { send, logs, done: service.done };
}

const codeOf = (answer: GatewayResponse | undefined): unknown =>
  typeof answer?.body === 'string' ? JSON.parse(answer.body).code : undefined;

t.test('a path that is not ours is answered by nobody, and not logged', async (t) => {
  const { send, logs } = harness();
  t.equal(await send('GET', '/other'), undefined);
  t.equal(await send('PATCH', '*'), undefined);
  t.strictSame(logs, []);
});

t.test('a good request: checked values in, one line in the log, without its query', async (t) => {
  const { send, logs } = harness();
  const answer = await send('GET', '/things/a?limit=7', { headers: { 'x-user': 'ann' } });
  t.match(answer, {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: '{"name":"a","limit":7,"user":"ann"}',
  });
  t.equal(logs.length, 1);
  t.match(logs[0], {
    level: 'info',
    fields: {
      event: 'http.request',
      requestId: answer?.headers['x-request-id'],
      method: 'GET',
      path: '/things/a',
      route: 'getThing',
      status: 200,
      user: 'ann',
      remoteAddress: '127.0.0.1',
      durationMillis: Number,
    },
  });
  t.notMatch(JSON.stringify(logs), 'limit');
});

t.test('the gates stand in this order, and the body is read behind them', async (t) => {
  const body = () => Readable.from([Buffer.from('{"a":"wrong"}')]);
  const steps: [
    what: string,
    status: number,
    code: string,
    options: Parameters<typeof harness>[0],
    headers: object,
  ][] = [
    ['another origin', 403, 'FOREIGN_ORIGIN', {}, { origin: 'http://evil' }],
    ['nobody', 401, 'NOT_LOGGED_IN', {}, {}],
    ['no permission', 403, 'FORBIDDEN', {}, { 'x-user': 'ann' }],
    [
      'no license',
      403,
      'FORBIDDEN',
      {
        permissions: ['MANAGE_USERS'],
        requireLicense: () => {
          throw new Forbidden('The license lacks it');
        },
      },
      { 'x-user': 'ann' },
    ],
    [
      'no facet',
      501,
      'NOT_SUPPORTED',
      { permissions: ['MANAGE_USERS'], capabilities: new Set() },
      { 'x-user': 'ann' },
    ],
  ];
  for (const [what, status, code, options, headers] of steps) {
    const { send, done } = harness(options);
    const unread = body();
    const answer = await send('PUT', '/things/too-long', { headers: { ...headers }, body: unread });
    t.strictSame([answer?.status, codeOf(answer)], [status, code], what);
    t.notOk(unread.readableDidRead, `${what}: the body is unread`);
    t.strictSame(done, []);
  }
  const { send, done } = harness({ permissions: ['MANAGE_USERS'] });
  const headers = { 'x-user': 'ann' };
  t.match((await send('PUT', '/things/too-long', { headers, body: body() }))?.body, /"path":"params\.name"/);
  t.match((await send('PUT', '/things/a', { headers, body: body() }))?.body, /"path":"body\.a"/);
  t.strictSame(done, []);
  const good = await send('PUT', '/things/a', { headers, body: Readable.from([Buffer.from('{"a":1}')]) });
  t.match(good, { status: 200, headers: { deprecation: 'true', 'x-more': 'yes' }, body: '{}' });
  t.strictSame(done, ['guarded']);
});

t.test('our errors are told, other people’s only to the log', async (t) => {
  const thrown: [unknown, number, string][] = [
    [new Conflict('APPLICATION_RUNNING', 'It runs', { state: 'RUNNING' }), 409, 'APPLICATION_RUNNING'],
    [new Error('secret: /etc/shadow'), 500, 'INTERNAL'],
    ['secret text', 500, 'INTERNAL'],
    [undefined, 500, 'INTERNAL'],
    [new Unreachable('The cluster', new Error('secret: connect 10.0.0.1')), 502, 'UNREACHABLE'],
  ];
  for (const [error, status, code] of thrown) {
    const { send, logs } = harness({
      act() {
        throw error;
      },
    });
    const answer = await send('GET', '/things/a');
    t.strictSame([answer?.status, codeOf(answer)], [status, code]);
    t.notMatch(answer?.body, /secret/);
    t.equal(logs.length, 1);
    t.match(logs[0], { level: status < 500 ? 'info' : 'error', fields: { status, code } });
    if (error instanceof Error && status >= 500) t.match(String(logs[0]?.fields['err']), /secret/);
  }
});

t.test('what can’t be encoded is our fault', async (t) => {
  const { send } = harness({ act: () => ({ big: 1n }) });
  t.equal((await send('GET', '/things/a'))?.status, 500);
});

t.test('an authenticator that can’t find out: 502 where a user is needed', async (t) => {
  const { send } = harness({ authenticate: () => Promise.reject(new Unreachable('The directory')) });
  t.equal((await send('GET', '/text'))?.status, 502);
  t.equal((await send('GET', '/things/a'))?.status, 200, 'nobody is needed here');
});

t.test('work for a client that hung up ends as 499, not as a fault of ours', async (t) => {
  const controller = new AbortController();
  const { send, logs } = harness({
    act() {
      controller.abort();
      throw new Error('aborted');
    },
  });
  t.equal((await send('GET', '/things/a', { signal: controller.signal }))?.status, 499);
  t.match(logs, [{ level: 'info', fields: { code: 'CLIENT_HUNG_UP' } }]);
});

t.test('a stream comes whole; one that breaks is told to the log once', async (t) => {
  const headers = { 'x-user': 'ann' };
  const read = async (answer: GatewayResponse | undefined) => {
    let all = '';
    for await (const chunk of answer?.body ?? []) all += chunk;
    return all;
  };
  const good = harness();
  t.equal(await read(await good.send('GET', '/text', { headers })), 'first\nsecond\n');
  t.equal(await read(await good.send('GET', '/empty-file')), '');
  t.equal(good.logs.length, 2);

  const bad = harness({ act: () => Promise.reject(new Error('The disk is gone')) });
  const answer = await bad.send('GET', '/text', { headers });
  t.equal(answer?.status, 200, 'its first byte was there');
  await t.rejects(read(answer), /The disk is gone/);
  t.match(bad.logs, [{ message: 'request' }, { level: 'error', message: 'answer cut short' }]);
  t.equal(bad.logs[1]?.fields['requestId'], answer?.headers['x-request-id']);
});

t.test('a logger that is out of order costs no answer', async (t) => {
  const broken = () => {
    throw new Error('no space left');
  };
  const { send } = harness({ logger: { debug: broken, info: broken, warn: broken, error: broken } });
  t.equal((await send('GET', '/things/a'))?.status, 200);
  t.equal((await send('DELETE', '/things/a'))?.status, 405);
});

t.test('queries: defaults, wrong values, two of a name, too long, prototypes', async (t) => {
  const { send } = harness();
  t.match((await send('GET', '/things/a'))?.body, /"limit":10/);
  t.match((await send('GET', '/things/a?limit=x'))?.body, /"path":"query\.limit"/);
  t.match((await send('GET', '/things/a?limit=1&limit=2'))?.body, /given twice/);
  t.equal((await send('GET', `/things/a?x=${'y'.repeat(9000)}`))?.status, 400);
  t.equal((await send('GET', '/things/a?__proto__=1&constructor=2'))?.status, 200);
  t.equal((await send('GET', '/things/a?a=%zz'))?.status, 200, 'as browsers read it');
});
