import { type ConfigProperty, type PropertySets, propertySets } from './config-xml.js';
import { traceOf } from './contents.js';
import type { FoundPackage } from './open-package.js';
import type {
  DefaultProperties,
  PackageAppMeta,
  PackageMeta,
  PackageSummary,
  RequiredProperties,
} from './schema.js';
import type { ContainedApp, PackageContents } from './stored.js';

// What is told of a package. Nothing is read here.

/** Why an application can't run; nothing when it can. */
export type AppFault = Pick<PackageAppMeta, 'error' | 'errorStackTrace'>;

export function metaOf(
  { kept: { value }, access, contents }: FoundPackage & { readonly contents: PackageContents },
  includeDescription: boolean,
  /** What is wrong with an application beyond what `contents` tells. */
  faults: ReadonlyMap<string, AppFault>,
): PackageMeta {
  const { appJars, appJsonFiles, appPropertiesFiles, configs, applications } = contents;
  return {
    ...contents.manifest,
    applications: applications.map((app) => ({
      ...appMetaOf(contents, app, includeDescription),
      ...faults.get(app.name),
    })),
    appJars,
    appJsonFiles,
    appPropertiesFiles,
    ...shapedProperties(propertySets(contents.properties), includeDescription),
    configs,
    owner: value.owner,
    modificationTime: value.modificationTime,
    canWrite: access === 'write',
  };
}

/** An application's own properties go over those of the package. */
export const appMetaOf = (
  contents: PackageContents,
  { className: _, ...app }: ContainedApp,
  includeDescription: boolean,
): PackageAppMeta => ({
  ...app,
  ...(app.error === undefined
    ? {}
    : { errorStackTrace: app.errorStackTrace ?? traceOf(app.error, app.file) }),
  ...shapedProperties(
    propertySets(contents.properties, ownProperties(contents, app.name)),
    includeDescription,
  ),
});

/** Of `META-INF/properties-{application}.xml`. */
export const ownProperties = (
  { applicationProperties }: PackageContents,
  name: string,
): readonly ConfigProperty[] =>
  applicationProperties.find(({ application }) => application === name)?.properties ?? [];

function shapedProperties(
  { required, defaults }: PropertySets,
  includeDescription: boolean,
): { requiredProperties: RequiredProperties; defaultProperties: DefaultProperties } {
  const described = ({ value = null, description = null }: Partial<Nullable<ConfigProperty>>) => ({
    value,
    description,
  });
  return includeDescription
    ? { requiredProperties: mapped(required, described), defaultProperties: mapped(defaults, described) }
    : {
        requiredProperties: [...required.keys()],
        defaultProperties: mapped(defaults, ({ value = '' }) => value),
      };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

const mapped = <R>(
  properties: ReadonlyMap<string, ConfigProperty>,
  change: (property: ConfigProperty) => R,
): Record<string, R> =>
  Object.fromEntries([...properties].map(([name, property]) => [name, change(property)]));

/** The plain list tells only which packages there are. */
export function summaryItem(
  { kept: { value }, access }: FoundPackage,
  { isPlain, launchDisabled }: { readonly isPlain: boolean; readonly launchDisabled: boolean },
): PackageSummary {
  const { owner, name, version, modificationTime, summary } = value;
  const item = { owner, modificationTime, appPackageName: name, appPackageVersion: version };
  if (isPlain) return item;
  const { displayName, description, applications, ui, services } = summary;
  return {
    ...item,
    ...(displayName === undefined ? {} : { appPackageDisplayName: displayName }),
    ...(description === undefined ? {} : { appPackageDescription: description }),
    canWrite: access === 'write',
    applications: applications.map((app) => ({ ...app, launchDisabled })),
    ...(ui ? { ui } : {}),
    ...(services ? { services } : {}),
  };
}
