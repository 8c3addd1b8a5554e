import t from 'tap';
import { z } from 'zod';
import { empty } from '../../../lib/http/reply.js';
import { type Method, type Route, routeFor } from '../../../lib/http/route.js';
import { buildTable, type Match } from '../../../lib/http/table.js';
import { BadRequest } from '../../../lib/model/errors.js';

const route = routeFor<undefined>();

/** `'GET /a/{b}'`, each under its own text as id. */
function tableOf(...shapes: string[]) {
  const room: Record<string, Route<undefined>> = {};
  for (const shape of shapes) {
    const [method, path] = shape.split(' ');
    if (!isMethod(method) || !path?.startsWith('/')) throw new Error(`${shape} is no route`);
    room[shape] = route({
      method,
      path: `/${path.slice(1)}`,
      access: 'public',
      summary: shape,
      params: z.looseObject({}),
      reply: empty,
      handle: () => {},
    });
  }
  return buildTable({ room }, { room: undefined });
}
const isMethod = (text: string | undefined): text is Method =>
  text === 'GET' || text === 'POST' || text === 'PUT' || text === 'DELETE';

const isMatch = (found: Match | readonly string[] | undefined): found is Match =>
  found !== undefined && 'place' in found;

const table = tableOf(
  'GET /a',
  'GET /a/{x}',
  'GET /a/current',
  'PUT /a/{x}',
  'GET /a/{x}/c',
  'GET /a/current/d',
  'GET /p/{rest...}',
  'POST /p/{rest...}',
  'GET /p/{x}/fixed',
);
const found = (method: string, path: string) => {
  const match = table.match(method, path);
  return isMatch(match) ? [match.place.id, { ...match.params }] : match;
};

t.test('a literal beats a parameter, a parameter beats the rest', async (t) => {
  const cases: [path: string, id: string, params: Record<string, string>][] = [
    ['/a', 'GET /a', {}],
    ['/a/current', 'GET /a/current', {}],
    ['/a/other', 'GET /a/{x}', { x: 'other' }],
    ['/a/current/d', 'GET /a/current/d', {}],
    // The literal leads nowhere, so the parameter has its turn.
    ['/a/current/c', 'GET /a/{x}/c', { x: 'current' }],
    ['/p/one/fixed', 'GET /p/{x}/fixed', { x: 'one' }],
    ['/p/one/other', 'GET /p/{rest...}', { rest: 'one/other' }],
    ['/p/one//two/', 'GET /p/{rest...}', { rest: 'one//two/' }],
    ['/p/%2e%2e/%zz', 'GET /p/{rest...}', { rest: '%2e%2e/%zz' }],
  ];
  for (const [path, id, params] of cases) t.strictSame(found('GET', path), [id, params], path);
});

t.test('what is not ours', async (t) => {
  for (const path of ['', '/', 'a', '*', '/A', '/a/', '//a', '/a//c', '/a/x/', '/a/x/y', '/p', '/p/', '/b']) {
    t.equal(found('GET', path), undefined, path);
    t.notOk(table.owns(path), path);
  }
});

t.test('another method: the methods that are offered', async (t) => {
  t.strictSame(found('DELETE', '/a/x'), ['GET', 'HEAD', 'PUT']);
  t.strictSame(found('PUT', '/a/current'), ['GET', 'HEAD'], 'of the literal only');
  t.strictSame(found('get', '/a'), ['GET', 'HEAD'], 'methods are upper case');
  t.ok(table.owns('/a/x'));
  t.strictSame(found('HEAD', '/a'), ['GET /a', {}], 'GET answers HEAD');
});

t.test('parameters are decoded exactly once', async (t) => {
  const cases: [raw: string, name: string][] = [
    ['a%2Fb', 'a/b'],
    ['%252F', '%2F'],
    ['100%25', '100%'],
    ['%20', ' '],
    ['a+b', 'a+b'],
    ['gr%C3%BC%C3%9Fe', 'grüße'],
    ['...', '...'],
    ['a..b', 'a..b'],
    ['__proto__', '__proto__'],
  ];
  for (const [raw, name] of cases) {
    t.strictSame(found('GET', `/a/${raw}`), ['GET /a/{x}', { x: name }], raw);
  }
});

t.test('a parameter that is no name is refused, and still ours', async (t) => {
  const raws = [
    '%',
    '%zz',
    '%C3',
    '%E0%A4',
    '%ED%A0%80',
    '%00',
    '%0a',
    '%7F',
    '%C2%85',
    '.',
    '..',
    '%2E%2e',
    'ü',
  ];
  for (const raw of [...raws, 'x'.repeat(601)]) {
    t.throws(() => table.match('GET', `/a/${raw}`), BadRequest, raw);
    t.ok(table.owns(`/a/${raw}`), raw);
  }
  t.strictSame(found('GET', `/a/${'x'.repeat(600)}`), ['GET /a/{x}', { x: 'x'.repeat(600) }]);
});

t.test('a path of a million segments costs nothing and matches nothing', async (t) => {
  t.equal(found('GET', '/a'.repeat(1_000_000)), undefined);
  t.match(found('GET', `/p${'/x'.repeat(1_000_000)}`), ['GET /p/{rest...}']);
});

t.test(
  'two routes of the same method and shape are refused, whatever their parameters are called',
  async (t) => {
    t.throws(() => tableOf('GET /a/{x}', 'GET /a/{y}'), /both GET/);
    t.throws(() => tableOf('GET /a/{x...}', 'GET /a/{y...}'), /both GET/);
    t.doesNotThrow(() => tableOf('GET /a/{x}', 'PUT /a/{y}', 'GET /a/b', 'GET /a/{z...}'));
  },
);

t.test('the order lets a first-match router mount the table as it is', async (t) => {
  const shuffled = tableOf(
    'GET /p/{rest...}',
    'GET /a/{x}/c',
    'GET /a/{x}',
    'GET /p/{x}/fixed',
    'GET /a/current',
    'GET /a',
    'GET /a/current/d',
  );
  t.strictSame(
    shuffled.routes.map(({ id }) => id),
    [
      'GET /a',
      'GET /a/current',
      'GET /a/current/d',
      'GET /a/{x}',
      'GET /a/{x}/c',
      'GET /p/{x}/fixed',
      'GET /p/{rest...}',
    ],
  );
});

t.test('parameters of the same path may have another name for another method', async (t) => {
  const mixed = tableOf('GET /a/{opid}/b', 'POST /a/{opId}/b');
  const params = (method: string) => {
    const match = mixed.match(method, '/a/1/b');
    return isMatch(match) ? { ...match.params } : undefined;
  };
  t.strictSame([params('GET'), params('POST')], [{ opid: '1' }, { opId: '1' }]);
});
