import { rawBody } from '../../core/body.js';
import { quotedEtag } from '../../core/conditional.js';
import { empty, file, json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import {
  ConfigPackageDetail,
  ConfigPackageFilter,
  ConfigPackageList,
  ConfigPackageOwner,
  ConfigPackageRef,
} from './schema.js';
import type { ConfigPackageService, Tagged } from './service.js';

const route = routeFor<ConfigPackageService>();

/** Beyond the spec, which names them in `appPackageSource` (`resolved-gaps.md` 11.1). */
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
    body: rawBody('*'),
    reply: json(ConfigPackageDetail),
    handle: async (packages, call) => tagged(call, await packages.upload(call, call.body)),
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
    summary: 'Read what a configuration package sets, and for which packages',
    params: ConfigPackageRef,
    reply: json(ConfigPackageDetail),
    handle: async (packages, call) => tagged(call, await packages.get(call, call.params)),
  }),
  deleteConfigPackage: route({
    method: 'DELETE',
    path: '/ws/v2/configPackages/{user}/{name}',
    access: 'user',
    summary: 'Delete a configuration package',
    params: ConfigPackageRef,
    reply: empty,
    handle: (packages, call) => packages.remove(call, call.params),
  }),
  downloadConfigPackage: route({
    method: 'GET',
    path: '/ws/v2/configPackages/{user}/{name}/download',
    access: 'user',
    summary: 'Download the archive of a configuration package, whole or one range of it',
    params: ConfigPackageRef,
    reply: file('application/zip'),
    handle: (packages, call) => packages.download(call, call.params),
  }),
};

function tagged<T>(
  { setHeader }: { readonly setHeader: (name: string, value: string) => void },
  { value, digest }: Tagged<T>,
): T {
  setHeader('etag', quotedEtag(digest));
  return value;
}
