import { declaredFileBytes, uploadBody } from '../../http/body.js';
import { withEtag } from '../../http/conditional.js';
import { empty, file, json, jsonObject } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import {
  ConfigPackageDetail,
  ConfigPackageFilter,
  ConfigPackageList,
  ConfigPackageOwner,
  ConfigPackageRef,
} from './schema.js';
import type { ConfigPackageService } from './service.js';

const route = routeFor<ConfigPackageService>();

/** Applications name those that they were launched with in `appPackageSource`. */
export const configPackageRoutes = {
  listConfigPackages: route({
    method: 'GET',
    path: '/ws/v2/configPackages',
    access: 'user',
    summary: 'List the configuration packages that the caller may see, or those for one application package',
    query: ConfigPackageFilter,
    reply: jsonObject(ConfigPackageList),
    handle: async (packages, call) => ({ configPackages: await packages.list(call, call.query) }),
  }),
  uploadConfigPackage: route({
    method: 'POST',
    path: '/ws/v2/configPackages',
    access: 'UPLOAD_CONFIG_PACKAGES',
    summary: 'Upload a configuration package, in place of the one of its name',
    lockable: true,
    body: uploadBody(),
    conditional: true,
    reply: json(ConfigPackageDetail),
    handle: async (packages, call) =>
      withEtag(call, await packages.upload(call, call.body.content, declaredFileBytes(call.caller))),
  }),
  listUsersConfigPackages: route({
    method: 'GET',
    path: '/ws/v2/configPackages/{user}',
    access: 'user',
    summary: "List a user's configuration packages",
    params: ConfigPackageOwner,
    query: ConfigPackageFilter,
    reply: jsonObject(ConfigPackageList),
    handle: async (packages, call) => ({
      configPackages: await packages.list(call, call.query, call.params.user),
    }),
  }),
  getConfigPackage: route({
    method: 'GET',
    path: '/ws/v2/configPackages/{user}/{name}',
    access: 'user',
    resource: 'configuration package',
    summary: 'Read what a configuration package sets, and for which packages',
    params: ConfigPackageRef,
    reply: json(ConfigPackageDetail),
    handle: async (packages, call) => withEtag(call, await packages.get(call, call.params)),
  }),
  deleteConfigPackage: route({
    method: 'DELETE',
    path: '/ws/v2/configPackages/{user}/{name}',
    access: 'user',
    resource: 'configuration package',
    summary: 'Delete a configuration package',
    params: ConfigPackageRef,
    conditional: true,
    reply: empty,
    handle: (packages, call) => packages.remove(call, call.params),
  }),
  downloadConfigPackage: route({
    method: 'GET',
    path: '/ws/v2/configPackages/{user}/{name}/download',
    access: 'user',
    resource: 'configuration package',
    summary: 'Download the archive of a configuration package, whole or one range of it',
    params: ConfigPackageRef,
    reply: file('application/zip'),
    handle: (packages, call) => packages.download(call, call.params, call.caller),
  }),
};
