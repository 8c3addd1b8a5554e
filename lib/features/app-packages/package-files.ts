import { BadRequest } from '../../model/errors.js';
import { timeSlice } from '../../runtime/event-loop.js';
import type { Archive } from './archive/reader.js';

/** Files of one kind: more make the lists of a gateway unreadable. */
const maxFiles = 1000;

/** What a gateway tells of, by kind; names without their folders, sorted. */
export interface PackageFiles {
  readonly appJars: string[];
  readonly appJsonFiles: string[];
  readonly appPropertiesFiles: string[];
  readonly configs: string[];
  /** Application to file. */
  readonly ofApplications: Map<string, string>;
  readonly dashboards: string[];
}

/** Throws `BadRequest` when there are too many of a kind. */
export async function packageFiles(archive: Archive): Promise<PackageFiles> {
  const files: PackageFiles = {
    appJars: [],
    appJsonFiles: [],
    appPropertiesFiles: [],
    configs: [],
    ofApplications: new Map(),
    dashboards: [],
  };
  const slice = timeSlice();
  const add = (list: string[], pattern: RegExp, name: string) => {
    const [, file] = pattern.exec(name) ?? [];
    if (file === undefined) return;
    if (list.length === maxFiles)
      throw new BadRequest('PACKAGE_LIMIT', `The package has more than ${maxFiles} files like ${name}`);
    list.push(file);
  };
  const applications: string[] = [];
  for (const { name } of archive.entries) {
    add(files.appJars, /^app\/([^/]+\.jar)$/, name);
    add(files.appJsonFiles, /^app\/([^/]+\.json)$/, name);
    add(files.appPropertiesFiles, /^app\/([^/]+\.properties)$/, name);
    add(files.configs, /^conf\/([^/]+\.xml)$/, name);
    add(applications, /^META-INF\/properties-([^/]+)\.xml$/, name);
    add(files.dashboards, /^resources\/ui\/dashboards\/([^/]+)$/, name);
    if (slice.isOver()) await slice.next();
  }
  for (const list of [files.appJars, files.appJsonFiles, files.appPropertiesFiles, files.configs])
    list.sort();
  for (const name of applications) files.ofApplications.set(name, `META-INF/properties-${name}.xml`);
  return files;
}
