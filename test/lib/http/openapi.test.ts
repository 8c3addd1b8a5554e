import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { z } from 'zod';
import { jsonBody, rawBody, uploadBody } from '../../../lib/http/body.js';
import { toSchema } from '../../../lib/http/json-schema.js';
import { openApi } from '../../../lib/http/openapi.js';
import { either, empty, file, json, passthrough, text } from '../../../lib/http/reply.js';
import { routeFor } from '../../../lib/http/route.js';
import { listRoutes } from '../../../lib/http/table.js';
import { roomsAbout } from '../../../lib/rooms-about.js';
import { routes } from '../../../lib/routes.js';
import { newGateway } from '../../helpers/gateway.js';
import { lint } from '../../helpers/lint.js';

const about = { title: 'Headgate', version: '1.2.3' };
const route = routeFor<undefined>();

async function problems(document: Record<string, unknown>): Promise<unknown> {
  const result = await new Validator().validate(structuredClone(document));
  return result.valid ? [] : result.errors;
}

t.test('the document of the whole table is valid OpenAPI 3.1', async (t) => {
  const document = await openApi(listRoutes(routes), about);
  t.same(await problems(document), []);
  t.equal(document['openapi'], '3.1.0');
});

t.test('others have their turn while it is made', async (t) => {
  let turns = 0;
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await openApi(listRoutes(routes), about);
  clearImmediate(next);
  t.ok(turns > 3, `${turns} turns`);
});

t.test('the validator would notice', async (t) => {
  t.not(await problems({ openapi: '3.1.0', paths: {} }), []);
});

t.test('a public linter finds nothing in what is served', async (t) => {
  const { client } = await newGateway(t);
  const document = await client.getOpenApi();
  // `containers/logs/{logName}` and `containers/{containerId}/kill` are both in the API; literal parts go first.
  t.strictSame(await lint(document, ['no-ambiguous-paths']), []);
  t.match(await lint({ ...document, paths: 'none' }), [/^struct: /]);
  t.strictSame(Object.keys(roomsAbout).toSorted(), Object.keys(routes).toSorted());
});

t.test('each reference leads to something', async (t) => {
  const text = JSON.stringify(await openApi(listRoutes(routes), about));
  const Document = z.object({
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      responses: z.record(z.string(), z.unknown()),
    }),
  });
  const { components } = Document.parse(JSON.parse(text));
  const refs = [...text.matchAll(/"\$ref":"#\/components\/(schemas|responses)\/([^"]+)"/g)];
  t.ok(refs.length > 20);
  for (const [, kind, name = ''] of refs) {
    t.ok(name in components[kind === 'schemas' ? 'schemas' : 'responses'], name);
  }
  t.equal([...text.matchAll(/"\$ref":"(?!#\/components\/)/g)].length, 0, 'and to nothing else');
});

const Item = z.object({ name: z.string(), size: z.coerce.number().default(1) }).meta({ id: 'Item' });

t.test('every kind of body and reply, parameter and access is described', async (t) => {
  const all = {
    putItem: route({
      method: 'PUT',
      path: '/items/{name}',
      access: 'MANAGE_USERS',
      summary: 'Change an item',
      params: z.object({ name: z.string() }),
      query: z.object({ force: z.enum(['true', 'false']).optional(), mode: z.string() }),
      body: jsonBody(Item, { optional: true }),
      reply: json(Item),
      since: '1.0.4',
      deprecated: 'use another',
      licensed: 'APP_BUILDER',
      requires: 'master.recorder',
      handle: () => ({ name: '', size: 1 }),
    }),
    upload: route({
      method: 'POST',
      path: '/items',
      access: 'user',
      summary: 'Upload items',
      body: rawBody('*'),
      reply: empty,
      handle: () => {},
    }),
    download: route({
      method: 'GET',
      path: '/items',
      access: 'public',
      summary: 'Download items',
      reply: file('application/zip'),
      handle: () => Promise.reject(new Error('never called')),
    }),
    readLog: route({
      method: 'GET',
      path: '/logs/{name}',
      access: 'user',
      summary: 'Read a log',
      params: z.object({ name: z.string() }),
      reply: either(text(), json(z.object({ lines: z.array(z.string()) }))),
      handle: () => ({ lines: [] }),
    }),
    forward: route({
      method: 'GET',
      path: '/proxy/{rest...}',
      access: 'user',
      summary: 'Pass on',
      params: z.object({ rest: z.string() }),
      reply: passthrough,
      handle: () => Promise.reject(new Error('never called')),
    }),
  };
  const document = await openApi(listRoutes({ items: all }), about);
  t.same(await problems(document), []);
  t.match(document, {
    servers: [{ url: '../..' }],
    paths: {
      '/items/{name}': {
        put: {
          'x-since': '1.0.4',
          operationId: 'putItem',
          tags: ['items'],
          deprecated: true,
          description: /MANAGE_USERS.*501.*master\.recorder.*APP_BUILDER.*use another.*1\.0\.4/,
          parameters: [
            { name: 'name', in: 'path', required: true },
            { name: 'force', in: 'query', required: false },
            { name: 'mode', in: 'query', required: true },
          ],
          requestBody: { required: false },
        },
      },
      '/items': {
        post: {
          requestBody: {
            required: true,
            description: /any media type/,
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
        },
        get: {
          security: [],
          responses: { 200: { content: { 'application/zip': { schema: { format: 'binary' } } } } },
        },
      },
      '/logs/{name}': {
        get: { responses: { 200: { content: { 'text/plain': {}, 'application/json': {} } } } },
      },
      '/proxy/{rest}': { get: { parameters: [{ name: 'rest', in: 'path', required: true }] } },
    },
  });
});

t.test('who generates clients finds nothing that their tools stumble over', async (t) => {
  const text = JSON.stringify(await openApi(listRoutes(routes), about));
  for (const [what, hurts] of Object.entries({
    'ranges of media types': /"\*\/\*"/,
    'media types without a schema': /"content":\{("[^"]+":\{"schema":\{[^{}]*\}\},?)*"[^"]+":\{\}/,
    'schemas put together': /"allOf"/,
    'classes of Unicode, which few engines know': /"pattern":"[^"]*\\\\[pP]\{/,
    'classes that are wider elsewhere': /"pattern":"[^"]*\\\\[dw]/,
  }))
    t.equal(hurts.exec(text), null, what);
});

t.test('segments of a path say what every segment must be', async (t) => {
  const all = {
    getItem: route({
      method: 'GET',
      path: '/items/{name}/{code}/{rest...}',
      access: 'user',
      summary: 'Read an item',
      params: z.object({
        name: z.string(),
        code: z
          .string()
          .min(2)
          .max(9)
          .regex(/^[a-z]+$/),
        rest: z.string(),
      }),
      reply: empty,
      handle: () => {},
    }),
  };
  const { paths } = z
    .object({
      paths: z.record(
        z.string(),
        z.object({ get: z.object({ parameters: z.array(z.looseObject({ schema: z.looseObject({}) })) }) }),
      ),
    })
    .parse(await openApi(listRoutes({ items: all }), about));
  const [name, code, rest] = paths['/items/{name}/{code}/{rest}']?.get.parameters ?? [];
  t.match(name, { schema: { type: 'string', minLength: 1, maxLength: 600 } });
  t.strictSame(code?.schema, { type: 'string', minLength: 2, maxLength: 9, pattern: '^[a-z]+$' });
  t.strictSame(rest?.schema, { type: 'string' });
  const pattern = new RegExp(String(name?.schema['pattern']));
  for (const good of ['a', 'a b', '.a', '..a', '...', '....', 'a/b', 'ä', '😀', 'a.'])
    t.match(good, pattern, JSON.stringify(good));
  for (const bad of ['', '.', '..', 'a\n', '\u0001', '.\u007f', '...\u0085'])
    t.notMatch(bad, pattern, JSON.stringify(bad));
});

t.test('uploads may come in a form', async (t) => {
  const all = {
    upload: route({
      method: 'POST',
      path: '/items',
      access: 'user',
      summary: 'Upload items',
      body: uploadBody(),
      reply: empty,
      handle: () => {},
    }),
  };
  const document = await openApi(listRoutes({ items: all }), about);
  t.same(await problems(document), []);
  t.match(document, {
    paths: {
      '/items': {
        post: {
          requestBody: {
            description: /any media type/,
            content: {
              'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
              'multipart/form-data': { schema: { properties: { file: { format: 'binary' } } } },
            },
          },
        },
      },
    },
  });
});

t.test('patterns are those of every engine', async (t) => {
  const patternOf = (pattern: RegExp) =>
    Object(toSchema(z.object({ it: z.string().regex(pattern) }), 'input', {}))['properties'].it.pattern;
  t.equal(patternOf(/^[^\p{Cc}\u2028]*$/u), '^[^\\x00-\\x1f\\x7f-\\x9f\\u2028]*$');
  t.equal(patternOf(/^\P{Cc}*$/u), '^[^\\x00-\\x1f\\x7f-\\x9f]*$');
  t.equal(patternOf(/^\w+\.[\d.-]{1,3}\]\[\d$/), '^[A-Za-z0-9_]+\\.[0-9.-]{1,3}\\]\\[[0-9]$');
});

t.test('what is sent and what comes back are different schemas where they differ', async (t) => {
  const both = {
    putItem: route({
      method: 'PUT',
      path: '/items',
      access: 'user',
      summary: 'Change an item',
      body: jsonBody(Item),
      reply: json(Item),
      handle: () => ({ name: '', size: 1 }),
    }),
  };
  const Document = z.object({ components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }) });
  const { schemas } = Document.parse(await openApi(listRoutes({ items: both }), about)).components;
  const required = Object.entries(schemas)
    .filter(([name]) => name.startsWith('Item'))
    .map(([, schema]) => schema['required']);
  t.same(required.length, 2);
  t.same(required.toSorted(), [['name'], ['name', 'size']]);
});
