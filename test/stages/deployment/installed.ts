import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { run } from '../../helpers/processes.js';
import { root } from '../../helpers/sources.js';
import { packInto, withOwnDependencies } from '../../helpers/tarballs.js';

export const deployment = join(root, 'examples/deployment');

/** Of a file that stands in the page too. */
export const fileOf = (name: string): string => readFileSync(join(deployment, name), 'utf8');

/** Makes a folder with the `package.json` that `npm install @headgate/server` would write, of packed tarballs. */
export async function projectOfServer(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const tarballs = await packInto(folder);
  const dependencies = Object.fromEntries(
    withOwnDependencies(['@headgate/server']).map((name) => [
      name,
      `file:./${relative(folder, tarballs.get(name) ?? '')}`,
    ]),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: folder });
  return folder;
}
