import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What modules of packages import without bringing it along: `@headgate/operators` and `zod`. Node looks for both in the
 * folders above a module's, so they are put there, each a line that leads to the copy that containers use themselves. No
 * hooks of the runtime: this is the same in every version and in Electron. Older packages know the operators as
 * `headgate/cluster/local` and `headgate/cluster/local/operators`.
 */
export async function writeStubs(
  packages: string,
  files: { readonly operators: string; readonly zod: string },
): Promise<void> {
  const modules = stubsOf(packages);
  const operators = `export * from ${JSON.stringify(pathToFileURL(files.operators).href)};\n`;
  await writePackage(join(modules, '@headgate', 'operators'), {
    exports: { '.': './operators.js' },
    file: 'operators.js',
    text: operators,
  });
  await writePackage(join(modules, 'headgate'), {
    exports: { './cluster/local': './local.js', './cluster/local/operators': './local.js' },
    file: 'local.js',
    text: operators,
  });
  const zod = JSON.stringify(pathToFileURL(files.zod).href);
  await writePackage(join(modules, 'zod'), {
    exports: { '.': './zod.js' },
    file: 'zod.js',
    text: `export * from ${zod};\nexport { default } from ${zod};\n`,
  });
}

export const stubsOf = (packages: string): string => join(packages, 'node_modules');

async function writePackage(
  folder: string,
  { exports, file, text }: { exports: Readonly<Record<string, string>>; file: string; text: string },
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, file), text, { mode: 0o600 });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', exports }), { mode: 0o600 });
}
