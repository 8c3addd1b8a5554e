import * as z from 'zod';
import { Permissions } from '../../model/acl.js';
import { ApplicationType, PackageServices, PackageUi } from './schema.js';

// What is kept of a package. Its bytes are a blob that never changes; a changed package is another blob.

/**
 * Of `PackageContents`. Raise it when more, or something else, is read out of a package: what was kept by another format
 * is read anew when somebody asks.
 */
export const contentsFormat = 3;

const Property = z.object({
  name: z.string(),
  value: z.string().exactOptional(),
  description: z.string().exactOptional(),
});

const Manifest = z.object({
  appPackageName: z.string(),
  appPackageVersion: z.string(),
  classPath: z.array(z.string()),
  appPackageGroupId: z.string().exactOptional(),
  engineVersion: z.string().exactOptional(),
  appPackageDisplayName: z.string().exactOptional(),
  appPackageDescription: z.string().exactOptional(),
});

const ContainedApp = z.object({
  name: z.string(),
  /** In `app/`. */
  file: z.string(),
  type: ApplicationType,
  displayName: z.string(),
  /** Of an application in a jar. */
  className: z.string().exactOptional(),
  /** It can't be read; the package is good all the same. */
  error: z.string().exactOptional(),
  errorStackTrace: z.string().exactOptional(),
});
export type ContainedApp = z.output<typeof ContainedApp>;

/** What a list shows. */
const Summary = z.object({
  displayName: z.string().exactOptional(),
  description: z.string().exactOptional(),
  applications: z.array(ContainedApp.pick({ name: true, displayName: true, type: true })),
  ui: PackageUi.exactOptional(),
  services: PackageServices.exactOptional(),
});
type Summary = z.output<typeof Summary>;

/** What was read out of a package, so that its archive need not be opened for it. */
export const PackageContents = z.object({
  manifest: Manifest,
  applications: z.array(ContainedApp),
  /** File names in `app/`. */
  appJars: z.array(z.string()),
  appJsonFiles: z.array(z.string()),
  appPropertiesFiles: z.array(z.string()),
  /** File names in `conf/`. */
  configs: z.array(z.string()),
  /** Layers for `propertySets`: of `META-INF/properties.xml`, and what applications have of their own (`ownProperties`). */
  properties: z.array(Property),
  applicationProperties: z.array(z.object({ application: z.string(), properties: z.array(Property) })),
  ui: PackageUi.exactOptional(),
  services: PackageServices.exactOptional(),
});
export type PackageContents = z.output<typeof PackageContents>;

/** By the id of the package's blob. */
export const StoredContents = z.object({ format: z.number(), contents: PackageContents });

/** One version of a package. */
export const StoredPackage = z.object({
  owner: z.string(),
  name: z.string(),
  version: z.string(),
  /** Of its blob; another one after each change. */
  id: z.string(),
  /** SHA-256 of the archive, hexadecimal. */
  digest: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Epoch milliseconds. */
  modificationTime: z.number(),
  /** That `summary` was read by. */
  format: z.number(),
  summary: Summary,
});
export type StoredPackage = z.output<typeof StoredPackage>;

/**
 * All versions of one name. Written with every version that comes or goes, so that of two who add and remove at once one
 * starts again.
 */
export const StoredName = z.object({
  /** Absent: the default holds. */
  permissions: Permissions.exactOptional(),
});
export type StoredName = z.output<typeof StoredName>;

export const summaryOf = ({ manifest, applications, ui, services }: PackageContents): Summary => ({
  ...(manifest.appPackageDisplayName === undefined ? {} : { displayName: manifest.appPackageDisplayName }),
  ...(manifest.appPackageDescription === undefined ? {} : { description: manifest.appPackageDescription }),
  applications: applications.map(({ name, displayName, type }) => ({ name, displayName, type })),
  ...(ui ? { ui } : {}),
  ...(services ? { services } : {}),
});
