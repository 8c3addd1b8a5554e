import { jsonBody, sentJsonBody } from '../../core/body.js';
import { empty, json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { AppIdReply } from '../applications/schema.js';
import { ApplicationDefinition } from '../logical-plan/schema.js';
import {
  AppRef,
  LaunchProperties,
  LaunchQuery,
  MetaQuery,
  PackageApp,
  PackageAppList,
  PackageRef,
  PutApplicationQuery,
  PutApplicationReply,
} from './schema.js';
import type { PackageService } from './service.js';
import { sayDigest, tagged } from './tagged.js';

const route = routeFor<PackageService>();
const path = '/ws/v2/appPackages/{owner}/{name}/{version}/applications/{appName}';

/** Spec 4.6: what in a package can be launched. */
export const packageApplicationRoutes = {
  listPackageApplications: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/applications',
    access: 'user',
    since: '1.0.4',
    summary: 'List what can be launched of a package, and why what can not',
    params: PackageRef,
    reply: jsonObject(PackageAppList),
    handle: async (packages, call) => ({
      applications: tagged(call, await packages.listApplications(call, call.params)),
    }),
  }),
  getPackageApplication: route({
    method: 'GET',
    path,
    access: 'user',
    since: '1.0.4',
    summary: 'Read an application of a package, with its plan and the text of its definition',
    params: AppRef,
    query: MetaQuery,
    reply: json(PackageApp),
    handle: async (packages, call) =>
      tagged(call, await packages.getApplication(call, call.params, call.query)),
  }),
  putPackageApplication: route({
    method: 'PUT',
    path,
    access: 'user',
    summary: 'Create or replace a JSON application of a package, also one that can not run yet',
    lockable: true,
    params: AppRef,
    query: PutApplicationQuery,
    body: sentJsonBody(ApplicationDefinition),
    reply: json(PutApplicationReply),
    handle: async (packages, call) => {
      const error = tagged(call, await packages.putApplication(call, call.params, call.body, call.query));
      return error === undefined ? {} : { error };
    },
  }),
  deletePackageApplication: route({
    method: 'DELETE',
    path,
    access: 'user',
    since: '1.0.5',
    summary: 'Delete an application of a package that is not in a jar',
    params: AppRef,
    reply: empty,
    handle: async (packages, call) => sayDigest(call, await packages.removeApplication(call, call.params)),
  }),
  launchPackageApplication: route({
    method: 'POST',
    path: `${path}/launch`,
    access: 'LAUNCH_APPS',
    since: '1.0.4',
    summary: 'Launch an application of a package',
    lockable: true,
    requires: 'resourceManager.launcher',
    params: AppRef,
    query: LaunchQuery,
    body: jsonBody(LaunchProperties, { optional: true }),
    reply: json(AppIdReply),
    handle: async (packages, call) => ({
      appId: await packages.launch(call, call.params, call.query, call.body ?? {}),
    }),
  }),
};
