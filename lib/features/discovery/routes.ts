import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AsyncApiDocument, Capabilities, CapabilitiesQuery, Health, OpenApiDocument } from './schema.js';
import type { DiscoveryService } from './service.js';

const route = routeFor<DiscoveryService>();

export const discoveryRoutes = {
  getOpenApi: route({
    method: 'GET',
    path: '/ws/v2/openapi.json',
    access: 'public',
    summary: 'This API as an OpenAPI 3.1 document',
    reply: json(OpenApiDocument),
    handle: (discovery) => discovery.openApi(),
  }),
  getAsyncApi: route({
    method: 'GET',
    path: '/ws/v2/asyncapi.json',
    access: 'public',
    summary: 'The topics of the WebSocket as an AsyncAPI 3.1 document',
    reply: json(AsyncApiDocument),
    handle: (discovery) => discovery.asyncApi(),
  }),
  getCapabilities: route({
    method: 'GET',
    path: '/ws/v2/capabilities',
    access: 'user',
    summary: 'What the driver in use and the caller’s rights allow, operation by operation',
    query: CapabilitiesQuery,
    reply: json(Capabilities),
    handle: (discovery, { user, query }) => discovery.capabilities(user, query),
  }),
  getHealth: route({
    method: 'GET',
    path: '/ws/v2/health',
    access: 'public',
    summary: 'Whether the gateway and what it needs work, and what does not',
    reply: json(Health),
    handle: (discovery) => discovery.health(),
  }),
};
