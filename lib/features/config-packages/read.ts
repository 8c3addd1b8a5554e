import * as z from 'zod';
import { BadRequest } from '../../model/errors.js';
import type { PackageArchives, PackagedFiles } from '../app-packages/service.js';

const Values = z.record(z.string(), z.string());

/** What is read out of a configuration package when it comes in. */
export const ConfigContents = z.object({
  name: z.string(),
  version: z.string().exactOptional(),
  description: z.string().exactOptional(),
  appPackageName: z.string().exactOptional(),
  appPackageGroupId: z.string().exactOptional(),
  appPackageMinVersion: z.string().exactOptional(),
  appPackageMaxVersion: z.string().exactOptional(),
  classPath: z.array(z.string()),
  files: z.array(z.string()),
  properties: Values,
  /** Lists, for an application may be called like something that every object has. */
  applicationProperties: z.array(z.object({ application: z.string(), properties: Values })),
});
export type ConfigContents = z.output<typeof ConfigContents>;

/** Characters of JSON that all this may take. */
const maxContents = 1024 * 1024;
const maxApplications = 1000;

const optionalAttributes = {
  version: 'DT-Conf-Package-Version',
  description: 'DT-Conf-Package-Description',
  appPackageName: 'DT-App-Package-Name',
  appPackageGroupId: 'DT-App-Package-Group-Id',
  appPackageMinVersion: 'DT-App-Package-Min-Version',
  appPackageMaxVersion: 'DT-App-Package-Max-Version',
} as const;

/** Rejects with `BadRequest` naming the attribute or the file that is at fault (engine: `ConfigPackage`). */
export async function readConfigContents(
  archive: PackagedFiles,
  archives: Pick<PackageArchives, 'checkedName'>,
): Promise<ConfigContents> {
  const attributes = await archive.manifest();
  const value = (name: string) => attributes.get(name.toLowerCase())?.trim() ?? '';
  const nameAttribute = 'DT-Conf-Package-Name';
  if (value(nameAttribute) === '')
    throw new BadRequest(
      'NOT_A_PACKAGE',
      `META-INF/MANIFEST.MF lacks ${nameAttribute}: this is not a configuration package`,
      {
        missing: [nameAttribute],
      },
    );
  const list = (name: string) =>
    value(name)
      .split(/\s+/)
      .filter((item) => item !== '');
  const checked = (key: string, attribute: string, text: string) =>
    key === 'description' ? text : archives.checkedName(attribute, text);
  const optional = Object.entries(optionalAttributes).flatMap(([key, name]) =>
    value(name) === '' ? [] : [[key, checked(key, name, value(name))] as const],
  );
  const contents: ConfigContents = {
    name: archives.checkedName(nameAttribute, value(nameAttribute)),
    ...Object.fromEntries(optional),
    classPath: list('Class-Path'),
    files: list('Files'),
    properties: await valuesIn(archive, 'META-INF/properties.xml'),
    applicationProperties: [],
  };
  for (const { name } of archive.files) {
    const [, application] = /^META-INF\/properties-([^/]+)\.xml$/.exec(name) ?? [];
    if (application === undefined) continue;
    if (contents.applicationProperties.length === maxApplications)
      throw new BadRequest(
        'PACKAGE_LIMIT',
        `The package has more than ${maxApplications} files like ${name}`,
      );
    contents.applicationProperties.push({ application, properties: await valuesIn(archive, name) });
  }
  if (JSON.stringify(contents).length > maxContents)
    throw new BadRequest(
      'PACKAGE_LIMIT',
      `The properties of the package take more than ${maxContents} characters`,
    );
  return contents;
}

/** One without a value sets nothing. */
const valuesIn = async (archive: PackagedFiles, file: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await archive.properties(file)).flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
