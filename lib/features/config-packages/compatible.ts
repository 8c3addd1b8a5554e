/** What a configuration package is meant for; what is absent fits any. */
interface Target {
  readonly appPackageName?: string;
  readonly appPackageGroupId?: string;
  readonly appPackageMinVersion?: string;
  readonly appPackageMaxVersion?: string;
}

/** What is known of an application package; what is absent is not asked. */
interface Candidate {
  readonly name: string;
  readonly groupId?: string;
  readonly version?: string;
}

/** Why it does not fit, as the end of a sentence; `undefined` when it does. */
export function misfit(target: Target, { name, groupId, version }: Candidate): string | undefined {
  const { appPackageName, appPackageGroupId, appPackageMinVersion: min, appPackageMaxVersion: max } = target;
  if (appPackageName !== undefined && appPackageName !== name) return `is meant for ${appPackageName}`;
  if (version === undefined) return undefined;
  if (appPackageGroupId !== undefined && groupId !== undefined && appPackageGroupId !== groupId)
    return `is meant for packages of the group ${appPackageGroupId}`;
  if (min !== undefined && compareVersions(version, min) < 0) return `is meant for ${min} and later versions`;
  if (max !== undefined && compareVersions(version, max) > 0) return `is meant for versions up to ${max}`;
  return undefined;
}

/** Numbers by their size, missing ones as 0; what has a qualifier (`1.0-SNAPSHOT`) comes before what has none. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.numbers.length, right.numbers.length); i++) {
    const difference = compare(left.numbers[i] ?? 0n, right.numbers[i] ?? 0n);
    if (difference !== 0) return difference;
  }
  if (left.qualifier === '' || right.qualifier === '')
    return Number(left.qualifier === '') - Number(right.qualifier === '');
  return compare(left.qualifier, right.qualifier);
}

const compare = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

function parts(version: string): { numbers: readonly bigint[]; qualifier: string } {
  const [numbers = ''] = /^\d*(?:\.\d+)*/.exec(version) ?? [];
  return {
    numbers: numbers.split('.').map((number) => BigInt(number)),
    qualifier: version.slice(numbers.length),
  };
}
