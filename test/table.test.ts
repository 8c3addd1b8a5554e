import t from 'tap';
import { z } from 'zod';
import { openApi } from '../lib/http/openapi.js';
import { listRoutes } from '../lib/http/table.js';
import { isPermission } from '../lib/model/permissions.js';
import { routes } from '../lib/routes.js';

const listed = listRoutes(routes);
const document = await openApi(listed, { title: 'Headgate', version: '0' });

/** First words of ids: what an operation does. New ones are welcome; nouns are not. */
const verbs =
  /^(get|list|put|post|create|change|delete|set|search|add|remove|read|write|start|stop|end|kill|shutdown|restart|restore|launch|merge|import|upload|download|install|validate|test|forward|clear|record|sample|plan)[A-Z]|^(login|logout)$/;

const keysOf = (schema: z.ZodType): string[] =>
  Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {});

t.test('ids are verb and noun, and no two are the same in the whole table', async (t) => {
  const ids = listed.map(({ id }) => id);
  t.strictSame(
    ids.filter((id) => !verbs.test(id)),
    [],
  );
  t.strictSame(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
  );
});

t.test('a summary is one sentence without a full stop', async (t) => {
  const odd = listed.filter(({ route }) => !/^[A-Z][^\n]{5,118}[^.\s]$/.test(route.summary));
  t.strictSame(
    odd.map(({ id, route }) => `${id}: ${route.summary}`),
    [],
  );
});

t.test('the parameters of the path are those of the schema', async (t) => {
  for (const { id, route } of listed) {
    const inPath = [...route.path.matchAll(/\{(\w+)(\.\.\.)?\}/g)].map((match) => match[1]);
    t.strictSame(route.params ? keysOf(route.params).sort() : [], inPath.sort(), id);
  }
});

t.test('paths are well formed', async (t) => {
  const odd = listed.filter(
    ({ route }) => !/^(\/([\w.-]+|\{\w+\}))+(\/\{\w+\.\.\.\})?$/.test(route.path) || /\/$/.test(route.path),
  );
  t.strictSame(
    odd.map(({ id }) => id),
    [],
  );
});

t.test('GET has no body', async (t) => {
  const odd = listed.filter(
    ({ route }) => route.method === 'GET' && route.body && route.body.kind !== 'whole',
  );
  t.strictSame(
    odd.map(({ id }) => id),
    [],
  );
});

t.test('who may call is said with a permission that there is', async (t) => {
  const odd = listed.filter(
    ({ route }) => !['public', 'user', 'admin'].includes(route.access) && !isPermission(route.access),
  );
  t.strictSame(
    odd.map(({ id }) => id),
    [],
  );
});

t.test('only these are open to everybody', async (t) => {
  const open = listed.filter(({ route }) => route.access === 'public').map(({ id }) => id);
  t.strictSame(open.sort(), ['getAbout', 'getAsyncApi', 'getHealth', 'getOpenApi', 'login', 'logout']);
});

t.test('every operation is in the OpenAPI document, with its id', async (t) => {
  const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.looseObject({}))) });
  const { paths } = Document.parse(document);
  for (const { id, route } of listed) {
    const path = route.path.replace('...}', '}');
    t.equal(paths[path]?.[route.method.toLowerCase()]?.['operationId'], id);
  }
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods));
  t.equal(operations.length, listed.length);
});

t.test('JSON that comes or goes has a schema', async (t) => {
  const odd = listed.filter(
    ({ route }) =>
      (route.body?.kind === 'json' && !route.body.schema) ||
      (route.reply.kind === 'json' && !route.reply.schema),
  );
  t.strictSame(
    odd.map(({ id }) => id),
    [],
  );
});
