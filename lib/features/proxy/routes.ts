import { wholeRequest } from '../../http/body.js';
import { passthrough } from '../../http/reply.js';
import { type Method, type RouteAccess, routeFor } from '../../http/route.js';
import { RestOfPath } from './schema.js';
import type { ProxyService } from './service.js';

const route = routeFor<ProxyService>();

const toManager = (method: Method, summary: string) =>
  route({
    method,
    path: '/proxy/rm/v1/{rest...}',
    access: 'ACCESS_RM_PROXY',
    summary,
    requires: 'resourceManager.forwarder',
    params: RestOfPath,
    body: wholeRequest,
    reply: passthrough,
    handle: (proxies, call) => proxies.toManager(call, call.params.rest, call.body),
  });

const access: RouteAccess = 'user';

/** The application's id begins the rest of the path. */
const toMaster = (method: Method, summary: string) =>
  route({
    method,
    path: '/proxy/master/v2/{rest...}',
    access,
    resource: method === 'GET' ? 'application read' : 'application change',
    summary,
    requires: 'master.forwarder',
    params: RestOfPath,
    body: wholeRequest,
    reply: passthrough,
    handle: (proxies, call) => proxies.toMaster(call, call.params.rest, call.body),
  });

const toService = (method: Method, summary: string) =>
  route({
    method,
    path: '/proxy/services/{rest...}',
    access,
    summary,
    asksUsers: true,
    params: RestOfPath,
    body: wholeRequest,
    reply: passthrough,
    handle: (proxies, call) => proxies.toService(call, call.params.rest, call.body),
  });

export const proxyRoutes = {
  forwardManagerGet: toManager(
    'GET',
    'Ask the resource manager: the rest of the path goes behind its /ws/v1/',
  ),
  forwardManagerPost: toManager('POST', 'Send something to the resource manager'),
  forwardMasterGet: toMaster('GET', 'Ask the master of an application, whose id begins the rest of the path'),
  forwardMasterPost: toMaster('POST', 'Send something to the master of an application'),
  forwardMasterPut: toMaster('PUT', 'Put something at the master of an application'),
  forwardMasterDelete: toMaster('DELETE', 'Delete something at the master of an application'),
  forwardServiceGet: {
    ...toService('GET', 'Open a page or a WebSocket of a service, whose name begins the rest of the path'),
    upgrades: true as const,
  },
  forwardServicePost: toService('POST', 'Send something to a service'),
  forwardServicePut: toService('PUT', 'Put something at a service'),
  forwardServicePatch: toService('PATCH', 'Change something at a service'),
  forwardServiceDelete: toService('DELETE', 'Delete something at a service'),
};
