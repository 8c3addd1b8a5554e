import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import type { PageAnswer } from 'headgate';
import { owned } from 'headgate/driver-kit';
import { acceptedEncoding, type Encoding, suffixes } from './encoding.js';
import { policyOfWorkers } from './policy.js';

interface BuiltFile {
  readonly path: string;
  readonly sizes: Readonly<Partial<Record<Encoding, number>>>;
}

interface Files {
  /** 404 for a name that was not built, and never a page in its place: a browser would run it. */
  answer(path: string, headers: IncomingHttpHeaders): Promise<PageAnswer>;
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** The names hold a hash of what is in them, so a browser never asks twice. */
const forEver = 'public, max-age=31536000, immutable';

/** Files of the build, compressed when they were built. Only names that were there at the first request are opened. */
export function createFiles(folder: string): Files {
  let reading: Promise<ReadonlyMap<string, BuiltFile>> | undefined;
  return {
    async answer(path, headers) {
      reading ??= builtIn(folder);
      const file = (await reading).get(path);
      if (!file)
        return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'There is no such file\n' };
      const encoding = acceptedEncoding(headers['accept-encoding'], file.sizes);
      return {
        status: 200,
        headers: {
          'content-type': types[extname(file.path)] ?? 'application/octet-stream',
          'content-length': String(file.sizes[encoding]),
          ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
          'cache-control': forEver,
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
          'content-security-policy': policyOfWorkers,
        },
        body: owned(createReadStream(file.path + suffixes[encoding])),
      };
    },
  };
}

async function builtIn(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const names = await readdir(join(folder, 'assets'));
  const plain = names.filter((name) => !/\.(br|gz)$/.test(name));
  const files = await Promise.all(
    plain.map(async (name): Promise<[string, BuiltFile]> => {
      const path = join(folder, 'assets', name);
      const sizes: Partial<Record<Encoding, number>> = { identity: (await stat(path)).size };
      if (names.includes(`${name}.br`)) sizes.br = (await stat(`${path}.br`)).size;
      if (names.includes(`${name}.gz`)) sizes.gzip = (await stat(`${path}.gz`)).size;
      return [`assets/${name}`, { path, sizes }];
    }),
  );
  return new Map(files);
}
