import { createServer } from 'node:http';
import t from 'tap';
import { z } from 'zod';
import { httpHandler } from '../adapters/host/http.js';
import { memoryStorage } from '../adapters/storage/memory.js';
import { openApi } from '../lib/http/openapi.js';
import { type ListedRoute, listRoutes } from '../lib/http/table.js';
import { createGateway } from '../lib/index.js';
import { routes } from '../lib/routes.js';
import { isDeclared, undeclaredAnswers } from './helpers/declared.js';
import { emptyCluster } from './helpers/empty-cluster.js';
import { loggerInto, newGateway } from './helpers/gateway.js';
import { listening } from './helpers/listening.js';
import { ask, callers, configPackage, place } from './helpers/rights/place.js';
import { shapeOf, tableOf } from './helpers/rights/tables.js';

// What the documents say of errors and numbers. That no living gateway answers anything else is held in `helpers/gateway`.

const about = { title: 'Headgate', version: '0' };
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), responses: z.looseObject({}) })),
  ),
});
const listed = listRoutes(routes);
const { paths } = Document.parse(await openApi(listed, about));
const answersOf = new Map(
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, responses }) => [operationId, Object.keys(responses).sort().join(' ')]),
);

t.test('an operation names the errors that it answers, one by one', async (t) => {
  const said = {
    getHealth: '200 400 401 403 503 5XX',
    login: '200 400 401 403 413 415 429 501 503 5XX',
    listApplications: '200 400 401 403 429 503 5XX',
    getApplication: '200 400 401 403 404 429 503 5XX',
    killApplication: '200 400 401 403 404 409 429 503 5XX',
    listEvents: '200 400 401 403 404 409 429 501 503 5XX',
    putAlertTemplate: '200 400 401 403 413 415 429 503 5XX',
    putPackageApplication: '200 400 401 403 404 409 412 413 415 429 503 5XX',
    downloadPackage: '200 206 400 401 403 404 416 429 503 5XX',
    forwardServiceGet: '400 401 403 404 429 503 5XX default',
    forwardMasterPost: '400 401 403 404 409 429 501 503 5XX default',
  };
  for (const [id, answers] of Object.entries(said)) t.equal(answersOf.get(id), answers, id);
  const inOneWord = [...answersOf].filter(([, answers]) => answers.includes('4XX'));
  t.strictSame(inOneWord, []);
});

t.test('an answer that no operation names is noticed', async (t) => {
  t.ok(isDeclared('getApplication', 404));
  t.notOk(isDeclared('getApplication', 412));
  t.notOk(isDeclared('getApplication', 204));
  t.ok(isDeclared('getApplication', 502), 'a fault');
  t.notOk(isDeclared('getApplication', 501), 'but this is none');
  t.ok(isDeclared('forwardServiceGet', 418), 'passed on');
});

/** Numbers without a unit, and why. */
const unitless = [
  // Names of things.
  'AuditRecord.status',
  'SmtpInput.port',
  // Places in a text.
  'ScriptValidation.line',
  'ScriptValidation.column',
].toSorted();

const isObject = (node: unknown): node is Readonly<Record<string, unknown>> =>
  typeof node === 'object' && node !== null && !Array.isArray(node);

type Schema = Readonly<Record<string, unknown>>;

/** The forms that a value may have. */
const formsOf = (schema: Schema): readonly Schema[] =>
  ([schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? [schema]).filter(isObject);
const isOf = (form: Schema, ...types: readonly unknown[]): boolean =>
  [form['type']].flat().some((type) => types.includes(type));
const mayBeNumber = (schema: Schema) => formsOf(schema).some((form) => isOf(form, 'number', 'integer'));
/** As values of properties may: nobody knows what they count. */
const mayBeAnyText = (schema: Schema) =>
  formsOf(schema).some((form) => isOf(form, 'string') && !('pattern' in form));

/** Each place with a number that has no unit, by component and member; those of operations by their path. */
function withoutUnit(node: unknown, place: readonly string[] = []): string[] {
  if (Array.isArray(node)) return node.flatMap((item, i) => withoutUnit(item, [...place, String(i)]));
  if (!isObject(node)) return [];
  if (mayBeNumber(node)) return 'x-unit' in node || mayBeAnyText(node) ? [] : [nameOf(place)];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'example' ? [] : withoutUnit(value, [...place, key]),
  );
}

const nameOf = (place: readonly string[]): string =>
  place
    .join('/')
    .replace(/^components\/schemas\//, '')
    .replace(/\/properties\//g, '.');

t.test('every number of the documents has its unit', async (t) => {
  const { client } = await newGateway(t);
  const openApiDocument = await client.getOpenApi();
  t.strictSame(withoutUnit(openApiDocument).toSorted(), unitless);
  t.strictSame(withoutUnit(await client.getAsyncApi()), ['AuditRecord.status']);
  t.match(openApiDocument, {
    info: { description: /`epoch ms` \(milliseconds since 1970/ },
    components: {
      schemas: {
        Container: {
          properties: {
            startedTime: { 'x-unit': 'epoch ms' },
            memoryMBFree: { 'x-unit': 'MB' },
            gcCollectionCount: { 'x-unit': 'collections' },
          },
        },
        LogLine: { properties: { byteOffset: { type: 'string', 'x-unit': 'bytes' } } },
      },
    },
  });
});

t.test('a number without a unit is found wherever it is', async (t) => {
  const odd = {
    components: {
      schemas: {
        A: { type: 'object', properties: { b: { type: 'integer' }, c: { type: 'number', 'x-unit': 'ms' } } },
      },
    },
    parameters: [{ schema: { anyOf: [{ type: 'number' }, { type: 'string', pattern: '^1$' }] } }],
    value: { anyOf: [{ type: 'number' }, { type: 'string' }] },
  };
  t.strictSame(withoutUnit(odd), ['A.b', 'parameters/0/schema']);
});

/** Ids of the operations whose answers lack this one. */
const without = (status: number, among: readonly ListedRoute[]): string[] =>
  among.flatMap(({ id }) => (answersOf.get(id)?.split(' ').includes(String(status)) ? [] : [id]));

t.test('each operation names what follows from how it is called', async (t) => {
  t.equal(answersOf.size, listed.length);
  t.strictSame(without(401, listed), [], 'where nobody has said who may come in, nothing is open');
  t.strictSame(without(403, listed), []);
  t.strictSame(
    without(
      404,
      listed.filter(({ route }) => route.path.includes('{')),
    ),
    ['putRole', 'createUser', 'putAlertTemplate', 'putProperty', 'putService', 'putAlert'],
    'only what makes the thing that is named need not find it',
  );
  const proxies = listed.filter(({ route }) => route.path.startsWith('/proxy/')).map(({ id }) => id);
  t.equal(proxies.length, 11);
  t.strictSame(
    [...answersOf].filter(([, answers]) => answers.split(' ').includes('default')).map(([id]) => id),
    proxies,
    'what is passed on, and nothing else',
  );
});

t.test('what makes something names that it is there already, or that there are too many', async (t) => {
  const makes = [
    ...['createUser', 'putRole', 'createToken', 'putSetting', 'putService', 'installServices', 'putAlert'],
    ...['uploadPackage', 'importPackages', 'mergePackages', 'putPackageConfig', 'putPackageApplication'],
    ...['launchPackageApplication', 'restartApplication', 'addLicense', 'startOperatorRecording'],
  ];
  t.strictSame(
    without(
      409,
      listed.filter(({ id }) => makes.includes(id)),
    ),
    [],
  );
  t.equal(listed.filter(({ id }) => makes.includes(id)).length, makes.length);
});

t.test('each operation names what the table of rights says', async (t) => {
  const byShape = new Map(listed.map((one) => [shapeOf(one.route.method, one.route.path), one]));
  let said = 0;
  for (const row of tableOf('rights.tsv')) {
    const one = byShape.get(shapeOf(row['method'] ?? '', row['path'] ?? ''));
    if (!one) continue;
    const refusals = [...new Set(Object.values(row))].filter((verdict) => /^\d{3}$/.test(verdict));
    const missing = refusals.filter((status) => without(Number(status), [one]).length > 0);
    t.strictSame(missing, [], one.id);
    said += refusals.length;
  }
  t.ok(said > 300, `${said} refusals`);
});

t.test(
  'a gateway that was not told who may come in answers nobody, and says so of each operation',
  async (t) => {
    const gateway = await createGateway({
      storage: memoryStorage(),
      cluster: emptyCluster(),
      logger: loggerInto([]),
    });
    const handle = httpHandler(gateway);
    const server = createServer((req, res) => handle(req, res));
    const undeclared = undeclaredAnswers(server);
    const { baseUrl, close } = await listening(server);
    t.teardown(async () => {
      await gateway.close();
      await close();
    });
    for (const one of listed) {
      const { status, message } = await ask(baseUrl, one, 'admin');
      t.match([status, message], [401, /No authenticator is configured/], one.id);
    }
    t.strictSame(undeclared(), []);
  },
);

t.test('operations that heed If-Match name that it does not hold', async (t) => {
  // The place looks at its answers itself.
  const { baseUrl } = await place(t);
  const headers = { ...callers['admin']?.headers, 'if-match': '"none"' };
  const heed: string[] = [];
  for (const one of listed) {
    const { method, path } = one.route;
    if (method === 'GET' || path.startsWith('/proxy/') || path === '/ws/v2/config/restart') continue;
    const sent = one.id === 'uploadConfigPackage' ? configPackage() : undefined;
    if ((await ask(baseUrl, one, 'admin', { headers }, path, sent)).status === 412) heed.push(one.id);
  }
  t.strictSame(heed.toSorted(), [
    'deleteConfigPackage',
    'deletePackage',
    'deletePackageApplication',
    'deletePackageConfig',
    'mergePackages',
    'putPackageApplication',
    'putPackageConfig',
    'uploadConfigPackage',
    'uploadPackage',
  ]);
  t.strictSame(
    without(
      412,
      listed.filter(({ id }) => heed.includes(id)),
    ),
    [],
  );
});
