import * as z from 'zod';
import { fewValues, jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { masked } from './definition/definition-secrets.js';
import { InstallBody, InstallQuery, Service, ServiceInput, ServiceList, ServiceParams } from './schema.js';
import type { PlatformServices } from './service.js';

/** Every word of a service may hold a secret, and is looked at when it comes and when it is told. */
const maxServiceBytes = 128 * 1024;
const maxInstallBytes = 256 * 1024;
const serviceBody = { ...fewValues, maxBytes: maxServiceBytes };
const installBody = { maxValues: 4_000, maxBytes: maxInstallBytes };

const route = routeFor<PlatformServices>();
const Told = z.object({
  message: z.string().optional().describe('names applications that need it, if there are any'),
});

export const serviceRoutes = {
  listServices: route({
    method: 'GET',
    path: '/ws/v2/services',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List the services and how they are',
    reply: json(ServiceList),
    handle: async (services) => ({ services: await services.list() }),
  }),
  getService: route({
    method: 'GET',
    path: '/ws/v2/services/{name}',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell everything about one service',
    params: ServiceParams,
    reply: json(Service),
    handle: (services, { params }) => services.get(params.name),
  }),
  putService: route({
    method: 'PUT',
    path: '/ws/v2/services/{name}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Install a new service, and start it unless it is not enabled',
    lockable: true,
    params: ServiceParams,
    body: { ...jsonBody(ServiceInput, serviceBody), described: masked },
    refusals: [409, 501],
    reply: empty,
    handle: (services, call) => services.put(call, call.params.name, call.body),
  }),
  changeService: route({
    method: 'POST',
    path: '/ws/v2/services/{name}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Change a stopped service; its next start shows it',
    lockable: true,
    params: ServiceParams,
    body: { ...jsonBody(ServiceInput, serviceBody), described: masked },
    refusals: [409, 501],
    reply: empty,
    handle: (services, { params, body }) => services.update(params.name, body),
  }),
  deleteService: route({
    method: 'DELETE',
    path: '/ws/v2/services/{name}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Stop a service and delete it with its files',
    params: ServiceParams,
    refusals: [409],
    reply: json(Told),
    handle: (services, { params }) => services.remove(params.name),
  }),
  startService: route({
    method: 'POST',
    path: '/ws/v2/services/{name}/start',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Start a service and keep it running',
    lockable: true,
    params: ServiceParams,
    refusals: [409],
    reply: empty,
    handle: (services, { params }) => services.start(params.name),
  }),
  stopService: route({
    method: 'POST',
    path: '/ws/v2/services/{name}/stop',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Stop a service and leave it stopped',
    params: ServiceParams,
    refusals: [409],
    reply: json(Told),
    handle: (services, { params }) => services.stop(params.name),
  }),
  installServices: route({
    method: 'POST',
    path: '/ws/v2/services/install',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Install several services, all or none, and start them',
    lockable: true,
    query: InstallQuery,
    body: { ...jsonBody(InstallBody, installBody), described: (services) => services.map(masked) },
    refusals: [409, 501],
    reply: empty,
    handle: (services, call) => services.install(call, call.body, { isAsync: call.query.async }),
  }),
};
