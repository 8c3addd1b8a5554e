import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.js';
import { root } from './sources.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** The folders of all packages of this repository, the core first. */
export const packageFolders = [
  root,
  ...readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name)),
];

/** Packs what `npm run build` has built into `folder`. Resolves where each package is, by its name. */
export async function packInto(folder: string): Promise<ReadonlyMap<string, string>> {
  const words = [
    'pack',
    '--silent',
    '--workspaces',
    '--include-workspace-root',
    '--pack-destination',
    folder,
  ];
  await run('npm', words, { cwd: root });
  return new Map(
    packageFolders.map((each) => {
      const { name, version }: Manifest = JSON.parse(readFileSync(join(each, 'package.json'), 'utf8'));
      return [name, join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)];
    }),
  );
}
