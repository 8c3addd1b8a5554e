import type { Readable } from 'node:stream';
import type { PackageContent } from '../../interfaces/package.js';
import { Conflict, NotFound } from '../../model/errors.js';
import type { PackagedFiles } from '../app-packages/service.js';
import { misfit } from './compatible.js';
import { labelOf } from './config-lookup.js';
import type { StoredConfigPackage } from './store.js';

/** A configuration package that was chosen for a launch. */
export interface ChosenConfigPackage {
  readonly user: string;
  readonly name: string;
  readonly version: string;
  readonly content: PackageContent;
  /** Of `META-INF/properties.xml`, and of the application's own file. */
  readonly properties: {
    readonly all: Readonly<Record<string, string>>;
    readonly application: Readonly<Record<string, string>>;
  };
}

/** What is to be launched, of which package. */
export interface LaunchTarget {
  readonly groupId?: string;
  readonly name: string;
  readonly version: string;
  readonly appName: string;
}

/** Throws `Conflict` for one that is meant for other packages. */
export function requireFit(stored: StoredConfigPackage, { appName: _, ...candidate }: LaunchTarget): void {
  const problem = misfit(stored.contents, candidate);
  if (problem === undefined) return;
  const label = labelOf({ user: stored.user, name: stored.contents.name });
  throw new Conflict(
    'CONFIG_PACKAGE_MISFIT',
    `The configuration package ${label} ${problem}, not for ${candidate.name} ${candidate.version}`,
  );
}

/** As the launch takes it; good as long as its files are open. */
export function chosenOf(
  stored: StoredConfigPackage,
  { files, read, stream }: PackagedFiles,
  { appName }: LaunchTarget,
  archive: () => Readable,
): ChosenConfigPackage {
  const { user, digest, contents } = stored;
  const { name, properties, applicationProperties } = contents;
  const version = versionOf(stored);
  const own = applicationProperties.find(({ application }) => application === appName);
  return {
    user,
    name,
    version,
    properties: { all: properties, application: own?.properties ?? {} },
    content: {
      owner: user,
      name,
      version,
      digest,
      files,
      archive,
      open: stream,
      async read(file, maxBytes) {
        const content = await read(file, maxBytes);
        if (!content) throw new NotFound(`file in ${labelOf({ user, name })}`, file);
        return content;
      },
    },
  };
}

/** The engine's manifests have none: then the content has to tell one upload from another. */
export const versionOf = ({ contents, digest }: StoredConfigPackage): string =>
  contents.version ?? digest.slice(0, 12);
