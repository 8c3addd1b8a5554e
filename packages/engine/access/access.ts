import { readlinkSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import type { OperatorAccess } from '@headgate/operators';
import { refusedAddress } from '@headgate/operators/engine';
import { type AddressOption, addressTest } from './addresses.js';

/** What applications may reach outside of the engine, as it is told to containers: absolute paths. */
export interface AccessSettings {
  /** Where relative paths begin; may be read and written. */
  readonly folder: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly addresses: AddressOption;
}

const maxLinks = 40;

export function createAccess({ folder, read, write, addresses }: AccessSettings): OperatorAccess {
  const mayConnect = addressTest(addresses);
  const located = (path: string, use: 'read' | 'write', more: readonly string[]) => {
    const found = realPathOf(resolve(folder, path));
    const folders = [folder, ...more];
    if (folders.some((allowed) => isBelow(realPathOf(allowed), found))) return found;
    throw new Error(
      `${path} may not be ${use === 'read' ? 'read' : 'written'}: only what is really below ${folders.join(', ')}; the option files.${use} of localCluster adds folders`,
    );
  };
  return {
    toRead: (path) => located(path, 'read', read),
    toWrite: (path) => located(path, 'write', write),
    mayConnect,
    checkUrl(url) {
      // The parser has made plain addresses of `2130706433` and `0x7f.1`.
      const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
      if (isIP(host) !== 0 && !mayConnect(host)) throw new Error(refusedAddress(host));
    },
  };
}

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Without links, also of what is not there yet: then a link that leads to nothing is followed all the same. */
function realPathOf(path: string): string {
  let { root: real } = parse(path);
  let rest = path.slice(real.length).split(sep);
  for (let links = 0; ; ) {
    const [name, ...after] = rest;
    if (name === undefined) return real;
    const next = join(real, name);
    const target = targetOf(next);
    if (target === 'missing') return join(next, ...after);
    if (target === 'no link') {
      real = next;
      rest = after;
      continue;
    }
    if (++links > maxLinks) throw new Error(`${path} leads through more than ${maxLinks} links`);
    const led = resolve(real, target.to, ...after);
    ({ root: real } = parse(led));
    rest = led.slice(real.length).split(sep);
  }
}

function targetOf(path: string): { readonly to: string } | 'no link' | 'missing' {
  try {
    return { to: readlinkSync(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return 'missing';
    // What Windows says of a plain file.
    if (code === 'EINVAL' || code === 'UNKNOWN') return 'no link';
    throw error;
  }
}
