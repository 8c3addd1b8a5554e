import { Permissions } from '../../core/acl.js';
import { jsonBody, rawBody } from '../../core/body.js';
import { quotedEtag } from '../../core/conditional.js';
import { empty, file, json, jsonObject, Text, text } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import {
  ClassSchema,
  ClassSchemaList,
  ClassSchemaName,
  ClassSchemaQuery,
  ConfigList,
  ConfigRef,
  ImportableList,
  ImportRequest,
  MergeRequest,
  MergeTarget,
  MetaQuery,
  OperatorFilter,
  PackageFilter,
  PackageList,
  PackageMeta,
  PackageName,
  PackageOperatorClass,
  PackageOperatorList,
  PackageOperatorName,
  PackageRef,
  UploadQuery,
  VersionList,
} from './schema.js';
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
  deletePackage: route({
    method: 'DELETE',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}',
    access: 'user',
    since: '1.0.4',
    summary: 'Delete a version of a package',
    params: PackageRef,
    reply: empty,
    handle: (packages, call) => packages.remove(call, call.params),
  }),
  listPackageVersions: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}',
    access: 'user',
    since: '1.0.4',
    summary: 'List the versions of a package',
    params: PackageName,
    reply: json(VersionList),
    handle: async (packages, call) => ({ versions: [...(await packages.versions(call, call.params))] }),
  }),
  downloadPackage: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/download',
    access: 'user',
    since: '1.0.4',
    summary: 'Download the archive of a package, whole or one range of it',
    params: PackageRef,
    reply: file('application/zip'),
    handle: (packages, call) => packages.download(call, call.params),
  }),
  listPackageConfigs: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/configs',
    access: 'user',
    since: '1.0.4',
    summary: 'List the configurations of a package',
    params: PackageRef,
    reply: json(ConfigList),
    handle: async (packages, call) => ({
      configs: tagged(call, await packages.listConfigs(call, call.params)),
    }),
  }),
  getPackageConfig: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/configs/{configName}',
    access: 'user',
    since: '1.0.4',
    summary: 'Read a configuration of a package',
    params: ConfigRef,
    reply: text('application/xml'),
    handle: async (packages, call) => new Text(tagged(call, await packages.getConfig(call, call.params))),
  }),
  putPackageConfig: route({
    method: 'PUT',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/configs/{configName}',
    access: 'user',
    since: '1.0.4',
    summary: 'Create or replace a configuration of a package',
    params: ConfigRef,
    body: rawBody('application/xml', 'text/xml'),
    reply: empty,
    handle: async (packages, call) => sayDigest(call, await packages.putConfig(call, call.params, call.body)),
  }),
  deletePackageConfig: route({
    method: 'DELETE',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/configs/{configName}',
    access: 'user',
    since: '1.0.4',
    summary: 'Delete a configuration of a package',
    params: ConfigRef,
    reply: empty,
    handle: async (packages, call) => sayDigest(call, await packages.removeConfig(call, call.params)),
  }),
  mergePackages: route({
    method: 'POST',
    path: '/ws/v2/appPackages/{user}/{appPackageName}/{appPackageVersion}/merge',
    access: 'UPLOAD_APP_PACKAGES',
    summary: 'Copy configurations, JSON applications and resources of another package into this one',
    params: MergeTarget,
    body: jsonBody(MergeRequest),
    reply: empty,
    handle: async (packages, call) => {
      const { user: owner, appPackageName: name, appPackageVersion: version } = call.params;
      sayDigest(call, await packages.merge(call, { owner, name, version }, call.body));
    },
  }),
  listImportablePackages: route({
    method: 'GET',
    path: '/ws/v2/appPackages/import',
    access: 'UPLOAD_APP_PACKAGES',
    summary: "List the packages in the gateway's import directory",
    reply: json(ImportableList),
    handle: async (packages) => ({ appPackages: await packages.importable() }),
  }),
  importPackages: route({
    method: 'POST',
    path: '/ws/v2/appPackages/import',
    access: 'UPLOAD_APP_PACKAGES',
    summary: "Take packages from the gateway's import directory, in place of those that are there",
    body: jsonBody(ImportRequest),
    reply: empty,
    handle: (packages, call) => packages.importFiles(call, call.body.files),
  }),
  getPackagePermissions: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/permissions',
    access: 'user',
    summary: 'Read who besides the owner may see or change the versions of a package',
    params: PackageName,
    reply: json(Permissions),
    handle: (packages, call) => packages.readPermissions(call, call.params),
  }),
  putPackagePermissions: route({
    method: 'PUT',
    path: '/ws/v2/appPackages/{owner}/{name}/permissions',
    access: 'user',
    summary: 'Set who besides the owner may see or change the versions of a package',
    params: PackageName,
    body: jsonBody(Permissions),
    reply: empty,
    handle: (packages, call) => packages.writePermissions(call, call.params, call.body),
  }),
  listPackageOperators: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/operators',
    access: 'user',
    summary: 'List the operator classes in a package',
    params: PackageRef,
    query: OperatorFilter,
    reply: jsonObject(PackageOperatorList),
    handle: async (packages, call) => ({
      operatorClasses: await packages.operators(call, call.params, call.query),
    }),
  }),
  getPackageOperator: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/operators/{classname}',
    access: 'user',
    summary: 'Read one operator class of a package, with the properties of its properties',
    params: PackageOperatorName,
    reply: json(PackageOperatorClass),
    handle: (packages, call) => packages.operator(call, call.params, call.params.classname),
  }),
  listClassSchemas: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/classSchemas',
    access: 'user',
    deprecated: 'use the operators of the package',
    summary: "List the JSON schemas of the types that properties of the package's operators have",
    params: PackageRef,
    reply: jsonObject(ClassSchemaList),
    handle: async (packages, call) => ({ classSchemas: await packages.classSchemas(call, call.params) }),
  }),
  getClassSchema: route({
    method: 'GET',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/classSchemas/{classSchemasName}',
    access: 'user',
    deprecated: 'use the operators of the package',
    summary: "Read the JSON schema of one type that properties of the package's operators have",
    params: ClassSchemaName,
    query: ClassSchemaQuery,
    reply: json(ClassSchema),
    handle: (packages, call) => packages.classSchema(call, call.params, call.params.classSchemasName),
  }),
};

interface Answering {
  readonly setHeader: (name: string, value: string) => void;
}

function tagged<T>(call: Answering, { value, digest }: Tagged<T>): T {
  sayDigest(call, digest);
  return value;
}

const sayDigest = (call: Answering, digest: string): void => call.setHeader('etag', quotedEtag(digest));
