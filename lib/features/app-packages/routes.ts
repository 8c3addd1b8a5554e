import { rawBody } from '../../core/body.js';
import { quotedEtag } from '../../core/conditional.js';
import { json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { MetaQuery, PackageFilter, PackageList, PackageMeta, PackageRef, UploadQuery } from './schema.js';
import type { PackageService, Tagged } from './service.js';

const route = routeFor<PackageService>();

/** Spec 4.6. */
export const packageRoutes = {
  listPackages: route({
    method: 'GET',
    path: '/ws/v2/appPackages',
    access: 'user',
    since: '1.0.4',
    summary: 'List the application packages that the caller may see',
    query: PackageFilter,
    reply: jsonObject(PackageList),
    handle: async (packages, call) => ({ appPackages: await packages.list(call, call.query) }),
  }),
  uploadPackage: route({
    method: 'POST',
    path: '/ws/v2/appPackages',
    access: 'UPLOAD_APP_PACKAGES',
    since: '1.0.4',
    summary: 'Upload an application package',
    query: UploadQuery,
    body: rawBody('*'),
    reply: json(PackageMeta),
    handle: async (packages, call) => tagged(call, await packages.upload(call, call.body, call.query.merge)),
  }),
  getPackage: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}',
    access: 'user',
    since: '1.0.4',
    summary: 'Read what a package holds',
    params: PackageRef,
    query: MetaQuery,
    reply: json(PackageMeta),
    handle: async (packages, call) => tagged(call, await packages.get(call, call.params, call.query)),
  }),
};

interface Answering {
  readonly setHeader: (name: string, value: string) => void;
}

function tagged<T>(call: Answering, { value, digest }: Tagged<T>): T {
  call.setHeader('etag', quotedEtag(digest));
  return value;
}
