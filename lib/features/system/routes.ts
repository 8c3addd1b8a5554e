import { jsonBody } from '../../http/body.js';
import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { ClusterExecutableInput, ExecutableInput, InstallMode, IpAddresses } from './schema.js';
import type { SystemService } from './service.js';

const route = routeFor<SystemService>();

export const systemRoutes = {
  getInstallMode: route({
    method: 'GET',
    path: '/ws/v2/config/installMode',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell how the product is installed',
    reply: json(InstallMode),
    handle: (system) => system.installMode(),
  }),
  getClusterExecutable: route({
    method: 'GET',
    path: '/ws/v2/config/clusterExecutable',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell which program of this machine starts applications',
    reply: json(ClusterExecutableInput),
    handle: (system) => ({ value: system.clusterExecutable() }),
  }),
  putClusterExecutable: route({
    method: 'PUT',
    path: '/ws/v2/config/clusterExecutable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say which program starts applications from the next restart on; it is tried first',
    body: jsonBody(ExecutableInput),
    refusals: [409, 501],
    reply: json(ClusterExecutableInput),
    handle: async (system, { body, signal }) => ({
      value: await system.setClusterExecutable(body.value, signal),
    }),
  }),
  listIpAddresses: route({
    method: 'GET',
    path: '/ws/v2/config/ipAddresses',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List the addresses of this machine that a gateway can listen on',
    reply: json(IpAddresses),
    handle: (system) => ({ ipAddresses: system.ipAddresses() }),
  }),
};
