import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.js';
import { root } from './sources.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

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
      const { name, version } = manifestOf(each);
      return [name, join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)];
    }),
  );
}

/** `names` with what they need of this repository, which no registry has yet. */
export function withOwnDependencies(names: readonly string[]): string[] {
  const manifests = new Map(packageFolders.map((folder) => [manifestOf(folder).name, manifestOf(folder)]));
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const needed of Object.keys(manifests.get(name)?.dependencies ?? {}))
      if (manifests.has(needed)) visit(needed);
  };
  names.forEach(visit);
  return [...found];
}
