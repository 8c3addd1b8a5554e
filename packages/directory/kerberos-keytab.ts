import { open } from 'node:fs/promises';
import { BadRequest } from 'headgate/driver-kit';
import { type KerberosPrincipal, parsePrincipal } from './kerberos-principal.js';

/** Larger files are no keytabs: a key has about a hundred bytes. */
const maxBytes = 1024 * 1024;

interface KeytabEntry {
  readonly components: readonly string[];
  readonly realm: string;
}

/**
 * Checks that there is a key for the principal. Resolves the realm that it is of: the principal's own, or the one in the
 * keytab. Rejects with `BadRequest`, in a sentence.
 */
export async function checkKeytab(path: string, principal: string): Promise<string> {
  const wanted = parsePrincipal(principal);
  if (wanted?.components.length !== 2) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `kerberosPrincipal: ${principal} is not of the form HTTP/host@REALM`,
    );
  }
  const entries = keytabEntries(await readKeytab(path));
  if (!entries) throw new BadRequest('AUTH_FILE_NOT_USABLE', `kerberosKeytab: ${path} is no keytab`);
  const realms = new Set(entries.filter((entry) => isFor(wanted, entry)).map(({ realm }) => realm));
  const [realm] = realms;
  if (realm === undefined) {
    const names = [...new Set(entries.map((entry) => `${entry.components.join('/')}@${entry.realm}`))];
    const known = names.length === 0 ? 'it is empty' : `it has ${names.slice(0, 10).join(', ')}`;
    throw new BadRequest(
      'AUTH_FILE_NOT_USABLE',
      `kerberosKeytab: ${path} has no key for ${principal}; ${known}`,
    );
  }
  if (realms.size > 1) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `kerberosPrincipal: say which realm: ${[...realms].join(', ')}`,
    );
  }
  return realm;
}

const isFor = (wanted: KerberosPrincipal, entry: KeytabEntry): boolean =>
  entry.components.join('/') === wanted.components.join('/') &&
  (wanted.realm === undefined || wanted.realm === entry.realm);

async function readKeytab(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > maxBytes)
        throw new BadRequest('AUTH_FILE_NOT_USABLE', `kerberosKeytab: ${path} is no keytab`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof BadRequest) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no file';
    throw new BadRequest('AUTH_FILE_NOT_USABLE', `kerberosKeytab: ${path} can't be read (${code})`);
  }
}

/** The names in a keytab (MIT's file format, version 2); its keys are not looked at. `undefined`: no keytab. */
export function keytabEntries(file: Buffer): readonly KeytabEntry[] | undefined {
  if (file.length < 2 || file.readUInt16BE(0) !== 0x0502) return undefined;
  const entries: KeytabEntry[] = [];
  try {
    for (let at = 2; at + 4 <= file.length; ) {
      const size = file.readInt32BE(at);
      at += 4;
      // Negative: the room of a deleted entry.
      if (size > 0) entries.push(entryOf(file.subarray(at, at + size)));
      if (size === 0) break;
      at += Math.abs(size);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return entries;
}

function entryOf(bytes: Buffer): KeytabEntry {
  let at = 2;
  const text = () => {
    const length = bytes.readUInt16BE(at);
    if (at + 2 + length > bytes.length) throw new RangeError('behind the end');
    at += 2 + length;
    return bytes.toString('utf8', at - length, at);
  };
  const count = bytes.readUInt16BE(0);
  const realm = text();
  const components: string[] = [];
  for (let index = 0; index < count; index++) components.push(text());
  return { components, realm };
}
