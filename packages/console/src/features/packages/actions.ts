import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { saveFrom } from '../../gateway/save-file.js';
import { said } from '../../shell/notify.js';
import { confirm } from '../../shell/question.js';
import type { PackageRef } from './rows.js';
import type { PackageMeta } from './shapes.js';
import { words } from './words.js';

export const download = (ref: PackageRef): void =>
  saveFrom(client.urlOf('downloadPackage', { params: ref }), `${ref.name}-${ref.version}.apa`);

export function askToDelete(ref: PackageRef, meta: PackageMeta, then: () => unknown): void {
  confirm({
    title: words.deleteTitle(`${ref.name} ${ref.version}`),
    text: words.deleteText,
    effects: meta.applications.map(({ displayName }) => words.canNotLaunch(displayName)),
    verb: words.delete,
    isDangerous: true,
    typed: ref.name,
    async act() {
      await client.deletePackage({ params: ref });
      said(words.deleted(`${ref.name} ${ref.version}`));
      await then();
      await changed('listPackages', 'listPackageVersions');
    },
  });
}

export function askToDeleteApplication(ref: PackageRef, appName: string): void {
  confirm({
    title: words.deleteTitle(appName),
    text: words.deleteApplicationText,
    verb: words.delete,
    isDangerous: true,
    typed: appName,
    async act() {
      await client.deletePackageApplication({ params: { ...ref, appName } });
      await changed('getPackage', 'listPackageApplications', 'getPackageApplication');
    },
  });
}

export function askToDeleteConfiguration(ref: PackageRef, configName: string, then: () => unknown): void {
  confirm({
    title: words.deleteTitle(configName),
    text: words.deleteConfigurationText,
    verb: words.delete,
    isDangerous: true,
    async act() {
      await client.deletePackageConfig({ params: { ...ref, configName } });
      await then();
      await changed('getPackage', 'listPackageConfigs');
    },
  });
}
