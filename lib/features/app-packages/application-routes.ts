import { sentJsonBody } from '../../http/body.js';
import { setEtag, withEtag } from '../../http/conditional.js';
import { empty, json, jsonObject } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { PackagedDefinition } from '../../model/sql-application.js';
import {
  AppRef,
  MetaQuery,
  PackageApp,
  PackageAppList,
  PackageRef,
  PutApplicationQuery,
  PutApplicationReply,
} from './schema.js';
import type { PackageService } from './service.js';

const route = routeFor<PackageService>();
const path = '/ws/v2/appPackages/{owner}/{name}/{version}/applications/{appName}';

/** What in a package can be launched. */
export const packageApplicationRoutes = {
  listPackageApplications: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/applications',
    access: 'user',
    resource: 'package read',
    since: '1.0.4',
    summary: 'List what can be launched of a package, and why what can not',
    params: PackageRef,
    reply: jsonObject(PackageAppList),
    handle: async (packages, call) => ({
      applications: withEtag(call, await packages.listApplications(call, call.params)),
    }),
  }),
  getPackageApplication: route({
    method: 'GET',
    path,
    access: 'user',
    resource: 'package read',
    since: '1.0.4',
    summary: 'Read an application of a package, with its plan and its definition',
    params: AppRef,
    query: MetaQuery,
    reply: jsonObject(PackageApp),
    handle: async (packages, call) =>
      withEtag(call, await packages.getApplication(call, call.params, call.query)),
  }),
  putPackageApplication: route({
    method: 'PUT',
    path,
    access: 'user',
    resource: 'package change',
    summary: 'Create or replace a JSON application of a package, also one that can not run yet',
    lockable: true,
    params: AppRef,
    query: PutApplicationQuery,
    body: sentJsonBody(PackagedDefinition),
    conditional: true,
    refusals: [409],
    reply: json(PutApplicationReply),
    handle: async (packages, call) => {
      const error = withEtag(call, await packages.putApplication(call, call.params, call.body, call.query));
      return error === undefined ? {} : { error };
    },
  }),
  deletePackageApplication: route({
    method: 'DELETE',
    path,
    access: 'user',
    resource: 'package change',
    since: '1.0.5',
    summary: 'Delete an application of a package that is not in a jar',
    params: AppRef,
    conditional: true,
    refusals: [409],
    reply: empty,
    handle: async (packages, call) => setEtag(call, await packages.removeApplication(call, call.params)),
  }),
};
