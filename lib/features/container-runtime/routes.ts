import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { ContainerRuntimeConfig, ContainerRuntimeInput } from './schema.js';
import type { ContainerRuntimeService } from './service.js';

const route = routeFor<ContainerRuntimeService>();

export const containerRuntimeRoutes = {
  getContainerRuntime: route({
    method: 'GET',
    path: '/ws/v2/config/containerRuntime',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell whether there is a container runtime, and whether it is new enough',
    reply: json(ContainerRuntimeConfig),
    handle: (runtime, call) => runtime.get(call.signal),
  }),
  putContainerRuntime: route({
    method: 'PUT',
    path: '/ws/v2/config/containerRuntime',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say where the container runtime is, at once; an empty address: its own',
    body: jsonBody(ContainerRuntimeInput),
    refusals: [409, 501],
    reply: empty,
    handle: (runtime, call) => runtime.put(call.body),
  }),
};
