import { type Json, toSchema } from '../http/json-schema.js';
import { describedBy } from '../http/openapi.js';
import { aboutUnits } from '../model/quantity.js';
import type { Topic } from './topic.js';
import type { TopicTree } from './topic-table.js';

/** AsyncAPI 3.1, as a fold over the topics: it knows none of them. What clients send is in `docs/pubsub.md`. */
export function asyncApi(
  tree: TopicTree,
  about: { title: string; version: string; rooms?: Readonly<Record<string, string>> },
) {
  const schemas: Json = {};
  const channels: Json = {};
  const operations: Json = {};
  for (const [room, topics] of Object.entries(tree)) {
    for (const topic of Object.values(topics)) {
      // References are JSON pointers, which braces would not survive.
      const id = topic.name.replace(/[{}]/g, '');
      channels[id] = channelOf(topic, schemas);
      operations[`publish.${id}`] = {
        action: 'send',
        channel: { $ref: `#/channels/${id}` },
        summary: topic.summary,
        description: `${occasionOf(topic)} ${accessOf(topic.access)}`,
        security,
        tags: [{ $ref: `#/components/tags/${room}` }],
      };
    }
  }
  return {
    asyncapi: '3.1.0',
    info: {
      title: `${about.title}: topics`,
      version: about.version,
      description: `What the gateway publishes on the WebSocket at \`/pubsub\`, to those who have sent \`{"type":"subscribe","topic":"..."}\`. ${aboutUnits}`,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '{host}',
        pathname: '/pubsub',
        protocol: 'ws',
        protocolVersion: '13',
        description:
          'Where the host listens; below the prefix that it mounts the gateway under, and `wss` behind TLS.',
        variables: { host: { default: 'localhost', description: 'With the port' } },
        security,
      },
    },
    channels,
    operations,
    components: {
      schemas,
      tags: Object.fromEntries(
        Object.keys(tree).map((name) => [name, { name, ...describedBy(about.rooms?.[name]) }]),
      ),
      securitySchemes: {
        session: { type: 'httpApiKey', in: 'cookie', name: 'headgate_session' },
        token: { type: 'http', scheme: 'bearer' },
        password: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

/** Any of them. */
const security = ['session', 'token', 'password'].map((name) => ({
  $ref: `#/components/securitySchemes/${name}`,
}));

function channelOf(topic: Topic<unknown>, schemas: Json): Json {
  const parameters = [...topic.name.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    address: topic.name,
    title: topic.name,
    description: topic.summary,
    ...(parameters.length > 0
      ? { parameters: Object.fromEntries(parameters.map((name) => [name, { description: `The ${name}` }])) }
      : {}),
    messages: { data: { name: 'data', title: topic.summary, payload: payloadOf(topic, schemas) } },
  };
}

/** The whole message as it is on the wire. */
const payloadOf = ({ data }: Topic<unknown>, schemas: Json): Json => ({
  type: 'object',
  required: ['type', 'topic', 'data'],
  properties: {
    type: { const: 'data' },
    topic: { type: 'string', description: 'The topic with its parameters filled in' },
    data: toSchema(data, 'output', schemas),
  },
});

const occasionOf = ({ kind, every = 1000 }: Topic<unknown>): string =>
  kind === 'events'
    ? 'Sent as it happens; each message counts.'
    : `Sent every ${every / 1000} s while somebody listens; each message is whole, so a slow receiver gets the newest.`;

const accessOf = (access: string): string =>
  ({ user: 'For any user.', admin: 'For administrators.' })[access] ?? `Needs the permission ${access}.`;
