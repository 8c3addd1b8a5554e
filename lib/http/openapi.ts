import { permissionCatalogue } from '../model/permissions.js';
import { aboutUnits } from '../model/quantity.js';
import { timeSlice } from '../runtime/event-loop.js';
import { formType } from './form-file.js';
import { asJson, type Json, toSchema } from './json-schema.js';
import { ofSegment } from './path-parameter.js';
import { resourceAccess } from './resource-access.js';
import { errorSchema, nameOfType, responsesOf, sharedResponses, unstructured } from './responses.js';
import type { Route } from './route.js';
import type { ListedRoute } from './table.js';

/** One exchange of an operation as it has been: what was sent and what came back, shortened. */
export interface Example {
  /** Parameters of the path and of the query, by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Absent where nothing was sent, or bytes were. */
  readonly body?: unknown;
  /** JSON, or a text; absent where bytes came. */
  readonly reply?: unknown;
}

/**
 * OpenAPI 3.1, as a fold over the table: it knows no endpoint. Schemas are translated a few at a time, since all of them
 * take a fifth of a second.
 */
export async function openApi(
  routes: readonly ListedRoute[],
  about: { title: string; version: string; rooms?: Readonly<Record<string, string>> },
  /** By id of the operation. */
  examples: Readonly<Record<string, Example>> = {},
): Promise<Json> {
  const schemas: Json = { Error: errorSchema };
  const paths: Record<string, Json> = {};
  const { isOver: due, next: rest } = timeSlice();
  for (const listed of routes) {
    if (due()) await rest();
    const path = listed.route.path.replace(/\{(\w+)\.\.\.\}/, '{$1}');
    paths[path] = {
      ...paths[path],
      [listed.route.method.toLowerCase()]: operation(listed, schemas, examples[listed.id] ?? {}),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: `Manage streaming applications, their packages and the platform they run on. ${aboutUnits}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to where the document is, so that it holds at any prefix and behind any proxy.
    servers: [{ url: '../..' }],
    security: [{ session: [] }, { token: [] }, { password: [] }],
    tags: [...new Set(routes.map(({ room }) => room))].map((name) => ({
      name,
      ...describedBy(about.rooms?.[name]),
    })),
    paths,
    components: {
      schemas,
      responses: sharedResponses,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'headgate_session' },
        token: { type: 'http', scheme: 'bearer' },
        password: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

export const describedBy = (description: string | undefined): Json =>
  description === undefined ? {} : { description };

function operation({ id, room, route }: ListedRoute, schemas: Json, example: Example): Json {
  const parameters = [...parametersOf(route, 'path', schemas), ...parametersOf(route, 'query', schemas)];
  return {
    operationId: id,
    tags: [room],
    summary: route.summary,
    description: described(route),
    parameters: parameters.map(({ name, ...more }) => ({
      name,
      ...more,
      ...exampleOf(asRead(example.parameters?.[String(name)], asJson(more['schema']))),
    })),
    ...(route.body && route.method !== 'GET'
      ? { requestBody: requestBody(route, schemas, example.body) }
      : {}),
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    ...(route.since === undefined ? {} : { 'x-since': route.since }),
    ...(route.access === 'public' ? { security: [] } : {}),
    responses: responsesOf(route, replyContent(route, schemas, example.reply)),
  };
}

function described(route: Route<unknown>): string {
  const access =
    route.access === 'public'
      ? 'Open to everybody.'
      : route.access === 'user'
        ? 'Needs a session.'
        : route.access === 'admin'
          ? 'Needs an administrator.'
          : `Needs the permission ${route.access} (${permissionCatalogue[route.access].meaning}).`;
  return [
    access,
    route.resource && `For those who ${resourceAccess[route.resource]}.`,
    route.requires && `Answers 501 where the cluster driver lacks ${route.requires}.`,
    route.licensed && `Needs the license feature ${route.licensed}.`,
    route.lockable && 'Refused while the license is locked.',
    route.deprecated && `Deprecated: ${route.deprecated}.`,
    route.since && `Since version ${route.since} of the API.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function parametersOf(route: Route<unknown>, where: 'path' | 'query', schemas: Json): Json[] {
  const schema = where === 'path' ? route.params : route.query;
  if (!schema) return [];
  const object = toSchema(schema, 'input', schemas);
  const isRest = (name: string) => route.path.endsWith(`{${name}...}`);
  const required = Array.isArray(object['required']) ? object['required'] : [];
  return Object.entries(asJson(object['properties'])).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: where === 'path' && !isRest(name) ? ofSegment(asJson(property)) : property,
  }));
}

/** On its way a parameter is a text; an example is what it is read as. */
const asRead = (text: string | undefined, { type }: Json): unknown =>
  text !== undefined && (type === 'integer' || type === 'number') ? Number(text) : text;

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example });

/** Texts go with the types of texts, the rest with JSON. */
const exampleFor = (type: string, example: unknown): Json =>
  (typeof example === 'string') === (type === 'application/json') ? {} : exampleOf(example);

function requestBody(route: Route<unknown>, schemas: Json, example: unknown): Json {
  const { schema, contentTypes = [], optional } = route.body ?? {};
  const type = schema && toSchema(schema, 'input', schemas);
  return {
    ...(contentTypes.includes('*') ? { description: 'Bytes, of any media type' } : {}),
    required: !optional,
    content: Object.fromEntries(
      // Two names of one type, as XML has them, are two bodies to who generates a client.
      contentTypes
        .filter((name, index) => index === 0 || name === formType)
        .map((name) => [
          nameOfType(name),
          name === formType
            ? { schema: formSchema }
            : { schema: type ?? unstructured(name), ...exampleFor(name, example) },
        ]),
    ),
  };
}

/** The field may have any name. */
const formSchema: Json = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary' } },
};

function replyContent(route: Route<unknown>, schemas: Json, example: unknown): Json {
  const { reply } = route;
  const schema = reply.schema
    ? toSchema(reply.schema, 'output', schemas)
    : reply.kind === 'empty'
      ? { type: 'object' }
      : undefined;
  return Object.fromEntries(
    reply.contentTypes.map((type) => {
      const name = nameOfType(type);
      const ofType = (name === 'application/json' && schema) || unstructured(name);
      return [name, { schema: ofType, ...exampleFor(name, example) }];
    }),
  );
}
