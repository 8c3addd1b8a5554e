/** A version of a package, in the list. */
export interface Row {
  readonly owner: string;
  readonly appPackageName: string;
  readonly appPackageVersion: string;
  readonly modificationTime: number;
}

/** Which package: as the paths of the API have it. */
export interface PackageRef {
  readonly owner: string;
  readonly name: string;
  readonly version: string;
}

export const refOf = ({ owner, appPackageName, appPackageVersion }: Row): PackageRef => ({
  owner,
  name: appPackageName,
  version: appPackageVersion,
});

export const keyOf = ({ owner, name, version }: PackageRef): string => JSON.stringify([owner, name, version]);

const collator = new Intl.Collator('en', { numeric: true });

/** By name and owner; of each the newest version first. */
export function shownRows(rows: readonly Row[], q = ''): readonly Row[] {
  const wanted = q.trim().toLocaleLowerCase();
  return rows
    .filter(({ owner, appPackageName, appPackageVersion }) =>
      [owner, appPackageName, appPackageVersion].some((text) => text.toLocaleLowerCase().includes(wanted)),
    )
    .sort(
      (a, b) =>
        collator.compare(a.appPackageName, b.appPackageName) ||
        collator.compare(a.owner, b.owner) ||
        collator.compare(b.appPackageVersion, a.appPackageVersion),
    );
}
