import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { z } from 'zod';
import { examples } from '../lib/features/discovery/examples.js';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { newGateway } from './helpers/gateway.js';

// The examples that the OpenAPI document shows are exchanges that have been: `npm run examples` records them, and
// `test/stages/clients/examples.test.ts` holds them against a tour of today.

const Media = z.record(z.string(), z.looseObject({ schema: z.looseObject({}).optional() }));
const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), schema: z.looseObject({}), required: z.boolean() })),
  requestBody: z.looseObject({ content: Media }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Media.optional() })),
});
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

t.test('every operation of the document has an example, and it is as the document says', async (t) => {
  const { client } = await newGateway(t);
  const document = await client.getOpenApi();
  const { paths } = Document.parse(document);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ ...document, $id: 'gateway:' });
  const problems: string[] = [];
  let count = 0;
  const check = (what: string, pointer: readonly string[], part: Readonly<Record<string, unknown>>) => {
    if (!('example' in part)) return;
    count++;
    const at = pointer.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = ajv.compile({ $ref: `gateway:#/${at.join('/')}/schema` });
    if (!validate(part['example'])) problems.push(`${what}: ${ajv.errorsText(validate.errors)}`);
  };
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, parameters, requestBody, responses }] of Object.entries(methods)) {
      const before = count;
      const at = ['paths', path, method];
      // Those of a query are texts on their way, whatever they are read as.
      for (const { name, required, ...parameter } of parameters)
        if (required && !('example' in parameter)) problems.push(`${operationId}: no example of ${name}`);
        else if ('example' in parameter) count++;
      for (const [type, part] of Object.entries(requestBody?.content ?? {}))
        check(operationId, [...at, 'requestBody', 'content', type], part);
      for (const [type, part] of Object.entries(responses['200']?.content ?? {}))
        check(operationId, [...at, 'responses', '200', 'content', type], part);
      if (count === before) problems.push(`${operationId}: no example`);
    }
  }
  t.strictSame(problems, []);
  t.ok(count > 300, `${count} examples`);
});

t.test('every operation was called, and what its body is for is shown', async (t) => {
  const listed = listRoutes(routes);
  t.strictSame(
    Object.keys(examples),
    listed.map(({ id }) => id),
    'npm run examples',
  );
  const withoutBody = listed.filter(
    ({ id, route }) =>
      route.body?.kind === 'json' && !route.body.optional && !('body' in (examples[id] ?? {})),
  );
  t.strictSame(withoutBody, []);
});

t.test('no example tells of a secret or of the machine that it is from', async (t) => {
  const text = JSON.stringify(examples);
  t.match(examples['login'], { body: { userName: 'admin', password: '********' } });
  t.match(examples['createToken'], { reply: { token: '********' } });
  t.notMatch(text, /\/tmp\/|\/root\b|\/home\/(?!headgate)|eyJ[\w-]+\.[\w-]+\.|BEGIN [A-Z ]*KEY/);
});
