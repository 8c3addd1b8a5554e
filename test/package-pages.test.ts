import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { root } from './helpers/sources.js';
import { packageFolders } from './helpers/tarballs.js';

// The page of each package at a registry: where it leads, and its README's links, which the registry resolves in the repository.

const site = 'https://github.com/headgate/headgate';

for (const folder of packageFolders) {
  const { name, repository, homepage, bugs } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const directory = relative(root, folder);

  t.test(`${name}: says where it comes from`, async (t) => {
    t.strictSame(repository, {
      type: 'git',
      url: `git+${site}.git`,
      ...(directory === '' ? {} : { directory }),
    });
    t.equal(homepage, directory === '' ? `${site}#readme` : `${site}/tree/HEAD/${directory}#readme`);
    t.equal(bugs, `${site}/issues`);
  });

  t.test(
    `${name}: each link of its README leads to a file of the repository, and to a heading of it`,
    async (t) => {
      const place = join(root, repository.directory ?? '');
      for (const { path, heading } of linksIn(join(folder, 'README.md'))) {
        const target = join(place, path);
        t.ok(isTracked(target), path);
        if (heading)
          t.ok(
            headingsOf(path === '' ? join(folder, 'README.md') : target).has(heading),
            `${path}#${heading}`,
          );
      }
    },
  );
}

t.test('links are found', async (t) => {
  t.ok(linksIn(join(root, 'README.md')).length > 40);
  t.match(linksIn(join(root, 'packages/yarn/README.md')), [{ path: '../../docs/yarn.md' }]);
});

function linksIn(page: string) {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?[^)]*\)/g)]
    .map(([, path = '', heading]) => ({ path, heading }))
    .filter(({ path }) => !/^https?:/.test(path));
}

/** There, in the same spelling: some disks don't tell capitals from small letters. */
const isTracked = (target: string) =>
  !relative(root, target).startsWith('..') &&
  existsSync(target) &&
  readdirSync(join(target, '..')).includes(relative(join(target, '..'), target));

/** As GitHub makes anchors of them. */
const headingsOf = (page: string) =>
  new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
