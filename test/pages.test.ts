import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import * as contracts from '../contracts/index.js';

// The pages themselves: that they are found, that their links lead somewhere, and that lists in them are whole.

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

t.test('the README lists every page', async (t) => {
  const list = read('README.md').split('\n## More\n')[1] ?? '';
  for (const page of pages) t.match(list, `](${page})`, page);
});

t.test('links between the pages lead somewhere', async (t) => {
  const all = ['README.md', 'lib/README.md', 'lib/pubsub/README.md', 'adapters/README.md', ...pages];
  let followed = 0;
  for (const page of all) {
    const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#', 2);
      const file = path === '' ? page : join(dirname(page), path);
      t.ok(existsSync(join(root, file)), `${page}: ${target}`);
      if (anchor !== undefined && file.endsWith('.md'))
        t.ok(anchorsOf(read(file)).has(anchor), `${page}: ${target}`);
      followed++;
    }
  }
  t.ok(followed > 60, `${followed}`);
});

t.test(
  'docs/drivers.md has every contract, every interface that a host brings and every facet',
  async (t) => {
    const page = read('docs/drivers.md');
    for (const name of Object.keys(contracts).filter((name) => name.endsWith('Contract')))
      t.ok(page.includes(`\`${name}\``), name);
    const facets = (source: string, type: string) => {
      const [, members = ''] = new RegExp(`export type ${type} =([\\s\\S]*?);`).exec(read(source)) ?? [];
      return [...members.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    };
    const named = [
      ...facets('lib/interfaces/cluster.ts', 'ResourceManagerFacet').map((name) => `resourceManager.${name}`),
      ...facets('lib/interfaces/master.ts', 'MasterFacet').map((name) => `master.${name}`),
    ];
    t.ok(named.length > 15, `${named.length}`);
    for (const name of named) t.ok(page.includes(`\`${name}\``), name);
  },
);

t.test('the README names every driver in the box', async (t) => {
  const readme = read('README.md');
  const drivers = ['cluster', 'container'].flatMap((kind) =>
    readdirSync(join(root, 'adapters', kind))
      .filter((folder) => existsSync(join(root, 'adapters', kind, folder, 'options.ts')))
      .map((folder) => `${kind}/${folder}`),
  );
  t.equal(drivers.length, 4);
  for (const driver of [...drivers, 'storage/filesystem', 'storage/memory', 'mail/smtp'])
    t.ok(readme.includes(`\`headgate/${driver}\``), driver);
});
