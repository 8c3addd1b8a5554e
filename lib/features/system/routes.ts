import { jsonBody } from '../../core/body.js';
import { json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { ClusterExecutable, ExecutableInput, InstallMode, IpAddresses } from './schema.js';
import type { SystemService } from './service.js';

const route = routeFor<SystemService>();

/** Spec 4.4. */
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
    reply: json(ClusterExecutable),
    handle: (system) => ({ value: system.clusterExecutable() }),
  }),
  putClusterExecutable: route({
    method: 'PUT',
    path: '/ws/v2/config/clusterExecutable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say which program starts applications from the next restart on; it is tried first',
    body: jsonBody(ExecutableInput),
    reply: json(ClusterExecutable),
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
