import * as z from 'zod';
import { Flag } from '../../model/inputs.js';
import { LogicalPlan, OperatorClassDesc } from '../../model/logical-plan.js';
import { quantity } from '../../model/quantity.js';

const Segment = z.string().min(1).max(512);

/** Which package, in a path. */
export const PackageRef = z.object({ owner: Segment, name: Segment, version: Segment });
export type PackageRef = z.output<typeof PackageRef>;
export const PackageName = PackageRef.omit({ version: true });
export type PackageName = z.output<typeof PackageName>;

/** A configuration of a package: a file of its `conf/`. */
export const ConfigRef = PackageRef.extend({ configName: Segment });
export type ConfigRef = z.output<typeof ConfigRef>;
export const ConfigList = z.object({ configs: z.array(z.string()) });

export const ApplicationType = z.enum(['class', 'json', 'properties']);

/** A service that the package brings or needs; its other keys are the service's own. */
const PackageService = z.looseObject({ name: z.string() });

/** `resources/services.json`. */
export const PackageServices = z.object({
  services: z.array(PackageService).default([]),
  applications: z
    .array(z.looseObject({ name: z.string(), requiredServices: z.array(PackageService).default([]) }))
    .default([]),
});
export type PackageServices = z.output<typeof PackageServices>;

/** Dashboards in `resources/ui`. */
export const PackageUi = z.object({
  dashboards: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      appNames: z.array(z.string()).default([]),
    }),
  ),
});
export type PackageUi = z.output<typeof PackageUi>;

/** An item of the list. What is optional comes only when the list is filtered. */
export const PackageSummary = z
  .object({
    owner: z.string(),
    modificationTime: quantity('epoch ms').describe('epoch milliseconds'),
    appPackageName: z.string(),
    appPackageVersion: z.string(),
    appPackageDisplayName: z.string().optional(),
    appPackageDescription: z.string().optional(),
    canWrite: z.boolean().optional(),
    applications: z
      .array(
        z.object({
          name: z.string(),
          displayName: z.string(),
          type: ApplicationType,
          launchDisabled: z.boolean().describe('the license does not cover it'),
        }),
      )
      .optional(),
    ui: PackageUi.optional(),
    services: PackageServices.optional(),
  })
  .meta({ id: 'PackageSummary' });
export type PackageSummary = z.output<typeof PackageSummary>;
export const PackageList = z.object({ appPackages: z.array(PackageSummary) });
export const PackageFilter = z.object({
  hasServices: Flag.exactOptional().describe('only those with, or without, services'),
  hasUI: Flag.exactOptional().describe('only those with, or without, dashboards'),
});
export type PackageFilter = z.output<typeof PackageFilter>;
export const VersionList = z.object({ versions: z.array(z.string()) });

const Described = z.object({ value: z.string().nullable(), description: z.string().nullable() });

/** What must be given at launch: names, or with `includeDescription` name to description; `value` is null. */
export const RequiredProperties = z.union([z.array(z.string()), z.record(z.string(), Described)]);
export type RequiredProperties = z.output<typeof RequiredProperties>;
/** What is set without: name to value, or with `includeDescription` name to value and description. */
export const DefaultProperties = z.record(z.string(), z.union([z.string(), Described]));
export type DefaultProperties = z.output<typeof DefaultProperties>;

export const PackageApp = z
  .object({
    name: z.string(),
    file: z.string(),
    type: ApplicationType,
    displayName: z.string(),
    dag: LogicalPlan.optional(),
    error: z.string().optional(),
    errorStackTrace: z.string().optional(),
    requiredProperties: RequiredProperties,
    defaultProperties: DefaultProperties,
    fileContent: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .optional()
      .describe(
        'of a JSON application: the object that its file holds, or the text of a file that holds none',
      ),
  })
  .meta({ id: 'PackageApp' });
export type PackageApp = z.output<typeof PackageApp>;

/** An application without what costs reading its file. */
export const PackageAppMeta = PackageApp.omit({ dag: true, fileContent: true }).meta({
  id: 'PackageAppMeta',
});
export type PackageAppMeta = z.output<typeof PackageAppMeta>;

export const AppRef = PackageRef.extend({ appName: Segment });
export type AppRef = z.output<typeof AppRef>;
export const PackageAppList = z.object({ applications: z.array(PackageAppMeta) });
export const PutApplicationQuery = z.object({
  errorIfExists: Flag.default(false).describe('refuse to replace an application'),
});
export const PutApplicationReply = z.object({
  error: z.string().optional().describe('why the definition, which is kept, can not run yet'),
});

export const PackageMeta = z
  .object({
    appPackageName: z.string(),
    appPackageVersion: z.string(),
    appPackageGroupId: z.string().optional(),
    engineVersion: z.string().optional(),
    appPackageDescription: z.string().optional(),
    appPackageDisplayName: z.string().optional(),
    classPath: z.array(z.string()),
    applications: z.array(PackageAppMeta),
    appJars: z.array(z.string()),
    appJsonFiles: z.array(z.string()),
    appPropertiesFiles: z.array(z.string()),
    requiredProperties: RequiredProperties,
    defaultProperties: DefaultProperties,
    configs: z.array(z.string()),
    owner: z.string(),
    modificationTime: quantity('epoch ms').describe('epoch milliseconds'),
    canWrite: z.boolean(),
  })
  .meta({ id: 'PackageMeta' });
export type PackageMeta = z.output<typeof PackageMeta>;
export const MetaQuery = z.object({ includeDescription: Flag.default(false) });

export const MergeMode = z.enum(['replace', 'fail', 'ours', 'theirs']);
export type MergeMode = z.output<typeof MergeMode>;
export const UploadQuery = z.object({
  merge: MergeMode.default('replace').describe('what happens to a package that is there already'),
});

export const PackageOperatorView = OperatorClassDesc.extend({
  name: z.string().describe('fully qualified'),
  title: z.string().optional(),
  shortDesc: z.string().optional(),
  longDesc: z.string().optional(),
  doclink: z.string().optional(),
  tags: z.array(z.string()).optional(),
  defaultValue: z.record(z.string(), z.unknown()).optional(),
}).meta({ id: 'PackageOperatorClass' });
export type PackageOperatorView = z.output<typeof PackageOperatorView>;

/** A file of the import directory. */
export const ImportablePackage = z
  .object({
    file: z.string(),
    name: z.string(),
    displayName: z.string(),
    version: z.string(),
    description: z.string(),
  })
  .meta({ id: 'ImportablePackage' });
export type ImportablePackage = z.output<typeof ImportablePackage>;
export const ImportableList = z.object({ appPackages: z.array(ImportablePackage) });
export const ImportRequest = z
  .object({
    files: z.array(z.string().min(1).max(255)).min(1).max(100).describe('`file` of what can be imported'),
  })
  .meta({ id: 'ImportRequest' });

/** The package that the merge changes, by the names of its query. */
export const MergeTarget = z.object({ user: Segment, appPackageName: Segment, appPackageVersion: Segment });
export const MergeRequest = z
  .object({
    user: Segment.exactOptional().describe("default: the path's"),
    name: Segment.exactOptional().describe("default: the path's"),
    version: Segment,
    replaceExisting: Flag.default(false),
  })
  .meta({ id: 'MergeRequest' });
export type MergeRequest = z.output<typeof MergeRequest>;

export const OperatorFilter = z
  .object({
    parent: z.string().max(512).exactOptional().describe('only classes that inherit from it'),
    q: z.string().max(512).exactOptional().describe('part of the name or of the texts, in any case'),
    searchTerm: z.string().max(512).exactOptional().describe('another name of q'),
  })
  .transform(({ parent, q, searchTerm }): { parent?: string; q?: string } => {
    const term = q ?? searchTerm;
    return { ...(parent === undefined ? {} : { parent }), ...(term === undefined ? {} : { q: term }) };
  });
export type OperatorFilter = z.output<typeof OperatorFilter>;
export const PackageOperatorList = z.object({
  operatorClasses: z.array(PackageOperatorView),
  problems: z
    .array(z.object({ file: z.string(), message: z.string() }))
    .optional()
    .describe('files that were not read, or not whole'),
});
export type PackageOperatorList = z.output<typeof PackageOperatorList>;
export const PackageOperatorName = PackageRef.extend({ classname: Segment });

export const ClassSchema = z
  .record(z.string(), z.unknown())
  .meta({ id: 'ClassSchema', description: 'A JSON schema, draft 2020-12' });
export const ClassSchemaList = z.object({ classSchemas: z.array(ClassSchema) });
export const ClassSchemaName = PackageRef.extend({ classSchemasName: Segment });
export const ClassSchemaQuery = z.object({
  version: z.string().max(512).exactOptional().describe('of the schema; there is one only'),
});
