import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export interface ClientBundle {
  readonly code: string;
  /** As a server sends it. */
  readonly gzipBytes: number;
  /** The files that are in it, from the root. */
  readonly files: readonly string[];
}

/** `headgate/client` as a page has it: everything in one file, and of nothing but browsers. */
export async function bundledClient(): Promise<ClientBundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../lib/client.js', import.meta.url))],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [code = ''] = outputFiles.map(({ text }) => text);
  return { code, gzipBytes: gzipSync(code).length, files: Object.keys(metafile.inputs) };
}

/** What was promised of it. */
export const maxClientBytes = 40_000;
