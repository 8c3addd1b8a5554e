import { BadRequest } from '../../model/errors.js';

export const manifestName = 'META-INF/MANIFEST.MF';
export const maxManifestBytes = 256 * 1024;

/** The main attributes of a jar's manifest, by their names in lower case: names know no case. */
type ManifestAttributes = ReadonlyMap<string, string>;

/**
 * The main section: lines end with CR, LF or both, and a line that begins with a blank goes on with the line before. Of an
 * attribute that is there twice the last counts, as for the engine.
 */
export function parseManifest(bytes: Buffer): ManifestAttributes {
  // A character of several bytes may be cut by the end of a line, so lines are joined before they are decoded.
  const lines = bytes.toString('latin1').split(/\r\n|\n|\r/);
  const attributes = new Map<string, string>();
  let last: { name: string; value: string } | undefined;

  const finish = () => {
    if (last) attributes.set(last.name, Buffer.from(last.value, 'latin1').toString('utf8'));
  };
  for (const [index, line] of lines.entries()) {
    if (line === '') break;
    if (line.startsWith(' ')) {
      if (!last) throw fault(index, 'continues a line, but there is none before it');
      last.value += line.slice(1);
      continue;
    }
    if (line.includes('\0')) throw fault(index, 'holds a NUL character');
    const [, name, value] = /^([A-Za-z0-9][A-Za-z0-9_-]*): (.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw fault(index, 'is not of the form "Name: value"');
    finish();
    last = { name: name.toLowerCase(), value };
  }
  finish();
  return attributes;
}

const fault = (index: number, what: string) =>
  new BadRequest('MANIFEST_NOT_VALID', `${manifestName}, line ${index + 1}: it ${what}`);

/** What the manifest tells of an application package (engine: `AppPackage`). */
interface PackageManifest {
  readonly appPackageName: string;
  readonly appPackageVersion: string;
  /** Relative to the package; may hold wildcards. */
  readonly classPath: readonly string[];
  readonly appPackageGroupId?: string;
  readonly engineVersion?: string;
  readonly appPackageDisplayName?: string;
  readonly appPackageDescription?: string;
}

const optionalAttributes = {
  appPackageGroupId: 'DT-App-Package-Group-Id',
  engineVersion: 'DT-Engine-Version',
  appPackageDisplayName: 'DT-App-Package-Display-Name',
  appPackageDescription: 'DT-App-Package-Description',
} as const;

/** Throws `BadRequest` naming every attribute that is missing, or the one that can't name a package. */
export function packageManifest(attributes: ManifestAttributes): PackageManifest {
  const value = (name: string) => attributes.get(name.toLowerCase())?.trim() ?? '';
  const required = ['DT-App-Package-Name', 'DT-App-Package-Version', 'Class-Path'];
  const missing = required.filter((name) => value(name) === '');
  if (missing.length > 0) {
    throw new BadRequest(
      'NOT_A_PACKAGE',
      `${manifestName} lacks ${missing.join(', ')}: this is not an application package`,
      {
        missing,
      },
    );
  }
  const optional = Object.entries(optionalAttributes).flatMap(([key, name]) =>
    value(name) === '' ? [] : [[key, value(name)] as const],
  );
  return {
    appPackageName: checkedSegment('DT-App-Package-Name', value('DT-App-Package-Name')),
    appPackageVersion: checkedVersion('DT-App-Package-Version', value('DT-App-Package-Version')),
    classPath: value('Class-Path').split(/\s+/),
    ...Object.fromEntries(optional),
  };
}

const maxSegment = 200;

export function checkedVersion(attribute: string, version: string): string {
  if (version !== 'permissions') return checkedSegment(attribute, version);
  throw new BadRequest('MANIFEST_NOT_VALID', `${attribute} may not be "permissions": that address is taken`);
}

/** Names and versions become parts of addresses and of keys. */
export function checkedSegment(attribute: string, value: string): string {
  const isFit = value.length <= maxSegment && !/[/\\\p{Cc}]/u.test(value) && !/^\.\.?$/.test(value);
  if (isFit) return value;
  throw new BadRequest(
    'MANIFEST_NOT_VALID',
    `${attribute} ${JSON.stringify(value.slice(0, maxSegment))} can't be part of an address: no slashes, control characters, "." or "..", at most ${maxSegment} characters`,
  );
}
