import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { run } from '../../helpers/processes.js';
import { root } from '../../helpers/sources.js';
import { packInto, withOwnDependencies } from '../../helpers/tarballs.js';

const stage = join(root, 'test/stages/hosts');

/**
 * A project of its own that has installed our packages from their tarballs, and the frameworks of this stage. What those and
 * ours need besides is found in the folders above it.
 */
export async function hostProject(t: Pick<Test, 'teardown'>): Promise<string> {
  mkdirSync(join(stage, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(stage, '.cache', 'project-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  // Links to the same files: Next.js alone has 150 MB, and takes nothing from a folder above its project.
  await run('cp', ['-al', join(stage, 'node_modules'), modules], { cwd: stage });
  const tarballs = await packInto(folder);
  for (const name of withOwnDependencies(['headgate', '@headgate/engine', '@headgate/level'])) {
    mkdirSync(join(modules, name), { recursive: true });
    const unpack = ['-xzf', tarballs.get(name) ?? name, '-C', join(modules, name), '--strip-components=1'];
    await run('tar', unpack, { cwd: folder });
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  // Where Next.js looks no further: above are those of this repository.
  writeFileSync(join(folder, 'package-lock.json'), '{ "lockfileVersion": 3, "packages": {} }');
  writeFileSync(join(folder, 'jsconfig.json'), '{}');
  return folder;
}

/** Puts what is in `test/stages/hosts/{name}` into a project. */
export const copyInto = (project: string, name: string): void =>
  cpSync(join(stage, name), project, { recursive: true });
