import { mkdtempSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Of a socket in the engine's directory for them. */
export const socketPath = (directory: string, name: string): string =>
  process.platform === 'win32'
    ? `\\\\.\\pipe\\${directory.replace(/\W/g, '-')}-${name}`
    : join(directory, `${name}.sock`);

/** Sockets have short paths (about 100 bytes), so they can't lie in the host's directory. */
export const makeSocketDirectory = (temporary: string): string => mkdtempSync(join(temporary, 'hg-'));

export const isSocketDirectory = (path: string): boolean => /^hg-[A-Za-z0-9]{6}$/.test(basename(path));
