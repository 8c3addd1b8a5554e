import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PackageContent } from '../../lib/driver-kit.js';
import { NotFound, TooLarge } from '../../lib/index.js';

/** A package of these files, as a driver is given one. */
export function packageContent(files: Readonly<Record<string, string | Buffer>>): PackageContent {
  const bytes = new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));
  return {
    owner: 'ann',
    name: 'pack',
    version: '1.0',
    digest: createHash('sha256').update(JSON.stringify(files)).digest('hex'),
    files: [...bytes].map(([name, content]) => ({ name, size: content.length })),
    async read(file, maxBytes) {
      const content = bytes.get(file);
      if (!content) throw new NotFound('file', file);
      if (content.length > maxBytes) throw new TooLarge(file, maxBytes);
      return content;
    },
    open: (file) => Readable.from([bytes.get(file) ?? Buffer.alloc(0)]),
    archive: () => Readable.from([JSON.stringify(files)]),
  };
}
