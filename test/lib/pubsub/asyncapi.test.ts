import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import t from 'tap';
import { z } from 'zod';
import { asyncApi } from '../../../lib/pubsub/asyncapi.js';
import { topics } from '../../../lib/topics.js';
import { newGateway } from '../../helpers/gateway.js';
import { lint } from '../../helpers/lint.js';

// Held against the schema that AsyncAPI publishes.

const { schemasWithoutId: schemas } = z
  .object({ schemasWithoutId: z.record(z.string(), z.looseObject({})) })
  .parse(createRequire(import.meta.url)('@asyncapi/specs'));
const validate = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(
  schemas['3.1.0'] ?? {},
);
const problems = (document: object) => (validate(document) ? [] : validate.errors);

t.test('the document that is served is valid, and open to everybody', async (t) => {
  const { client, baseUrl } = await newGateway(t);
  const document = await client.getAsyncApi();
  t.same(problems(document), []);
  const anonymous = await fetch(`${baseUrl}/ws/v2/asyncapi.json`);
  t.same(await anonymous.json(), document);
});

t.test('the schema would notice', async (t) => {
  t.not(problems({ asyncapi: '3.1.0', info: {} }), []);
  const { info: _, ...headless } = asyncApi(topics, { title: 'Headgate', version: '1' });
  t.not((problems(headless) ?? []).length, 0);
});

t.test('a public linter finds nothing in it', async (t) => {
  const { client } = await newGateway(t);
  const document = await client.getAsyncApi();
  t.strictSame(await lint(document), []);
  const { channels: _, ...rest } = document;
  t.match(await lint({ ...rest, channels: 'none' }), [/^struct: /]);
});

t.test('every topic is a channel with its parameters, and each reference leads to something', async (t) => {
  const document = asyncApi(topics, { title: 'Headgate', version: '1' });
  const text = JSON.stringify(document);
  const Shape = z.looseObject({
    channels: z.record(
      z.string(),
      z.looseObject({ address: z.string(), parameters: z.looseObject({}).optional() }),
    ),
    components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  });
  const { channels, components } = Shape.parse(JSON.parse(text));
  const names = Object.values(topics).flatMap((room) => Object.values(room).map(({ name }) => name));
  const addresses = Object.values(channels);
  t.strictSame(addresses.map(({ address }) => address).sort(), names.sort());
  for (const { address, parameters = {} } of addresses) {
    t.strictSame(
      Object.keys(parameters).map((name) => `{${name}}`),
      address.match(/\{\w+\}/g) ?? [],
    );
  }
  const refs = [...text.matchAll(/"\$ref":"#\/(channels|components\/schemas)\/([^"]+)"/g)];
  t.ok(refs.length >= names.length);
  for (const [, kind, name = ''] of refs) {
    t.ok(name in (kind === 'channels' ? channels : components.schemas), name);
  }
});
