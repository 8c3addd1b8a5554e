// Lets what is compiled in build/ find the packages of this repository by their names: each compiled one gets its
// package.json, with paths as they are there, and a link in build/node_modules. Nothing is found in a dist by mistake.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = join(root, 'build');
const folders = ['.', ...readdirSync(join(root, 'packages')).map((name) => join('packages', name))];

/** What is shipped may be bundled; its declarations tell what it was compiled from. */
const compiled = (types) => types.replace('./dist/', './').replace(/\.d\.ts$/, '.js');

/** One that is right stays: something that runs may be reading through it. */
function pointTo(link, target) {
  const to = relative(dirname(link), target);
  if (existsSync(link) && readlinkSync(link) === to) return;
  rmSync(link, { force: true });
  symlinkSync(to, link);
}

for (const folder of folders) {
  const { name, type, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const here = Object.fromEntries(
    Object.entries(exports).map(([entryPoint, { types }]) => [
      entryPoint,
      types === undefined ? './package.json' : compiled(types),
    ]),
  );
  mkdirSync(join(build, folder), { recursive: true });
  writeFileSync(join(build, folder, 'package.json'), JSON.stringify({ name, type, exports: here }));
  const link = join(build, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  pointTo(link, join(build, folder));
}

// The pages of the console are built by Vite, once, for what is shipped: what is compiled here shows the same.
const pages = join(build, 'packages/console/pages');
pointTo(pages, join(root, 'packages/console/dist/pages'));
