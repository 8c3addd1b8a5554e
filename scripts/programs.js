// The programs of child processes and threads, as texts in modules: whoever starts one has it in its own code, wherever
// that is, a host's bundle included, and no file of it has to be found.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // Entry points of the core import chunks that nothing here needs.
  logOverride: { 'ignored-bare-import': 'silent' },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'inline',
  charset: 'utf8',
  metafile: true,
  write: false,
};

/** Files of packages that went into a build in this folder. */
export const packageFiles = ({ inputs }, folder = '.') =>
  Object.keys(inputs)
    .filter((input) => input.includes('node_modules/'))
    .map((input) => join(folder, input));
const packed = (text) => gzipSync(text, { level: 9 }).toString('base64');
const exported = (value) => `export default ${JSON.stringify(value)};\n`;

/**
 * Writes `<program>.text.js` beside the compiled one, which unpacks it: a function of `require`, so that nothing but text is
 * needed to run it.
 * @returns the files of packages that went into it
 */
export async function writeProgram(compiled, program) {
  const main = join(compiled, program);
  const { metafile, outputFiles } = await build({
    ...shared,
    entryPoints: [`${main}.js`],
    format: 'cjs',
  });
  const [{ text }] = outputFiles;
  const called = packed(`(function (require) { 'use strict';\n${text}})`);
  writeFileSync(
    `${main}.text.js`,
    `import { gunzipSync } from 'node:zlib';\nexport default gunzipSync(Buffer.from('${called}', 'base64')).toString();\n`,
  );
  return packageFiles(metafile);
}

/**
 * The same of programs whose files lie together, by their names: `programs/programs.text.js` holds them compressed, and
 * `programs/programs.digests.js` tells whether files are theirs. Those of one group share what they have in common, whole: a
 * library of which one needs a little and another everything stands in groups of their own.
 * @param groups of each its programs, and what modules import by what they name
 * @returns the files of packages that went into them
 */
export async function writePrograms(compiled, groups) {
  const written = groups.map(({ programs, alias = {} }) =>
    build({
      ...shared,
      absWorkingDir: resolve(compiled),
      entryPoints: Object.entries(programs).map(([out, path]) => ({ in: path, out })),
      outdir: 'programs',
      outExtension: { '.js': '.mjs' },
      format: 'esm',
      splitting: true,
      chunkNames: '[name]-[hash]',
      alias,
    }),
  );
  const builds = await Promise.all(written);
  const texts = Object.fromEntries(
    builds.flatMap(({ outputFiles }) => outputFiles.map(({ path, text }) => [basename(path), text])),
  );
  const digests = Object.entries(texts).map(([name, text]) => [
    name,
    createHash('sha256').update(text).digest('hex'),
  ]);
  const write = (name, entries) =>
    writeFileSync(join(compiled, `programs/${name}.js`), exported(Object.fromEntries(entries)));
  write(
    'programs.text',
    Object.entries(texts).map(([name, text]) => [name, packed(text)]),
  );
  write('programs.digests', digests);
  return builds.flatMap(({ metafile }) => packageFiles(metafile, compiled));
}
