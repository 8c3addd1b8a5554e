import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import t from 'tap';
import * as contracts from '../packages/contracts/index.js';
import { type Snippet, snippetsOf } from './helpers/snippets.js';

// The pages themselves: that they are found, that their links lead somewhere, that lists in them are whole, and that
// each of their snippets is run by a test.

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

const packagePages = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('README.md') && !/(^|\/)(node_modules|dist)\//.test(name))
  .map((name) => `packages/${name}`);

t.test('links between the pages lead somewhere', async (t) => {
  const all = [
    'README.md',
    'lib/README.md',
    'lib/pubsub/README.md',
    'adapters/README.md',
    ...packagePages,
    ...pages,
  ];
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

const folders = [
  '.ci',
  'adapters',
  'bench',
  'commands',
  'docs',
  'examples',
  'lib',
  'packages',
  'scripts',
  'test',
];
const isSource = (file: string) => !/(^|\/)(node_modules|data|keys|dist)\//.test(file);

/** Files of the repository whose names end so. */
const filesOf = (...ends: readonly string[]): readonly string[] =>
  [
    ...readdirSync(root, { withFileTypes: true }),
    ...folders.flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true })),
  ]
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => isSource(file) && ends.some((end) => file.endsWith(end)));

t.test('nothing refers to a page, or to a number in one, that a reader does not have', async (t) => {
  const files = filesOf('.ts', '.js', '.cjs', '.md', '.json', '.sh', '.tsv', '.yaml', '.html', '.ci/run');
  // The one tells what was, the other is full of hashes.
  const texts = files.filter((file) => !['CHANGELOG.md', 'package-lock.json'].includes(file));
  const known = new Set(files.filter((file) => file.endsWith('.md')));
  const unknown: string[] = [];
  let found = 0;
  for (const file of texts) {
    const text = readFileSync(join(root, file), 'utf8');
    if (text.includes('\0')) continue;
    for (const [name] of text.matchAll(/(?<![\w./-])[\w./-]*\w\.md\b/g)) {
      // From the root, beside the file, or from where the file is built to.
      const places = [name.replace(/^\//, ''), join(dirname(file), name), name.replace(/^(\.\.\/)+/, '')];
      if (places.some((place) => known.has(place))) found++;
      else unknown.push(`${file}: ${name}`);
    }
    // Numbers of decisions, and of sections.
    for (const [name] of text.matchAll(/\bG\d{1,3}\b|\b[Ss]pec \d/g)) unknown.push(`${file}: ${name}`);
  }
  t.strictSame(unknown, []);
  t.ok(found > 200, `${found}`);
});

t.test('no page has what a merge left open', async (t) => {
  const open = filesOf('.md').flatMap((page) =>
    [...read(page).matchAll(/^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$/gm)].map(([line]) => `${page}: ${line}`),
  );
  t.strictSame(open, []);
});

t.test('a source that a page or a comment names is there', async (t) => {
  const sources = filesOf('.ts', '.js', '.cjs', '.mjs', '.sh');
  const unknown: string[] = [];
  let named = 0;
  for (const file of [...filesOf('.md'), ...filesOf('.ts').filter((file) => !file.startsWith('test/'))]) {
    if (file === 'CHANGELOG.md') continue;
    // What is in a block of code is a file of the reader's.
    const text = read(file).replace(/^ *(?:\* )?```[\s\S]*?^ *(?:\* )?```$/gm, '');
    const prose = file.endsWith('.md') ? text : (text.match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? []).join('\n');
    for (const [, name = ''] of prose.matchAll(/`([\w./-]*\w\.(?:ts|sh))`/g)) {
      named++;
      const end = name.replace(/^(\.\.?\/)+/, '');
      if (!sources.some((source) => source === end || source.endsWith(`/${end}`)))
        unknown.push(`${file}: ${name}`);
    }
  }
  t.strictSame(unknown, []);
  t.ok(named > 150, `${named}`);
});

t.test('each decision that a comment names is there', async (t) => {
  const page = read('docs/decisions.md');
  const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
  let named = 0;
  for (const file of filesOf('.ts', '.js')) {
    for (const [, rest = ''] of read(file).matchAll(/`docs\/decisions\.md`, (.*)/g)) {
      named++;
      t.ok(
        headings.some((heading) => rest.startsWith(heading)),
        `${file}: ${rest}`,
      );
    }
  }
  t.ok(named > 50, `${named}`);
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
  // What others bring along.
  const parts = ['history', 'operators'];
  const drivers = readdirSync(join(root, 'packages'))
    .filter((name) => !parts.includes(name))
    .map((name) => `@headgate/${name}`);
  for (const driver of [...drivers, 'headgate/storage/memory', 'headgate/mail/smtp'])
    t.ok(readme.includes(driver), driver);
});

/**
 * Which test runs what: the words after a snippet's language. `file` stands for all of them, because the test goes over
 * them; `file=express.mjs` for that one.
 */
const runs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'README.md': {
    'stages/packed/package': [
      'install',
      'asks',
      ...['express', 'koa', 'http', 'launch', 'contract.test'].map((name) => `file=${name}.mjs`),
    ],
    'stages/packed/example-server': ['start', 'ask', 'answer', 'file=client.mjs'],
    'stages/packed/pages': ['host'],
    pages: ['clone', 'ci'],
  },
  'docs/alerts.md': { 'stages/packed/alerts-page': ['alerts'] },
  'docs/configuration.md': { 'stages/packed/pages': ['host', 'asks', 'file=platform-site.xml', 'keytool'] },
  'docs/console.md': { 'stages/console/page': ['file=console.mjs'] },
  'docs/containers.md': { 'stages/packed/pages': ['host'] },
  'docs/deployment.md': {
    'stages/deployment/unit': ['install', 'file=Dockerfile', 'file=compose.yaml', 'file=headgate.service'],
    'stages/proxies/caddy': ['file=Caddyfile'],
  },
  'docs/drivers.md': { 'stages/packed/embedding-page': ['file'] },
  'docs/embedding.md': {
    'stages/packed/embedding-page': ['file=embedding.mjs', 'file=in-front.mjs'],
    'stages/packed/bundles': [
      'bundle',
      ...['webpack', 'rollup', 'vite'].map((name) => `file=${name}.config.mjs`),
    ],
    'adapters/host/http': ['file=carry.mjs'],
    'stages/browser/client': ['file=page.js'],
    'stages/clients/generators': ['file=openapi-python-client.yml'],
    'stages/proxies/nginx': ['conf'],
  },
  'docs/flink.md': {
    'stages/flink/page': ['file', 'settings', 'start', 'run'],
    'stages/flink/sql': ['example=sql', 'sample', 'start-sql'],
  },
  'docs/hosts.md': { 'stages/hosts/pages': ['install', 'asks', 'file'] },
  'docs/identity.md': { 'stages/packed/pages': ['host', 'asks'] },
  'docs/licenses.md': {
    'stages/packed/package': ['vendor', 'file'],
    'stages/packed/pages': ['host', 'asks'],
  },
  'docs/mail.md': { 'stages/packed/alerts-page': ['file'], 'lib/features/mail/mail': ['settings'] },
  'docs/operations.md': {
    'stages/packed/pages': ['scrape'],
    'operations-page': ['backup', 'file=tracing.mjs'],
  },
  'docs/operators.md': {
    'stages/packed/pages': ['host'],
    'packages/operators/keyed': ['dedup', 'throttle', 'join'].map((name) => `example=${name}`),
    'packages/operators/app-data': ['example=server'],
    'stages/engine/app-data': ['example=client'],
    'packages/operators/pure': ['example=filter', 'example=expressions'],
  },
  'docs/packages.md': { 'stages/packed/packages-page': ['file', 'zip', 'run'] },
  'docs/proxies.md': { 'stages/packed/pages': ['host', 'asks'] },
  'docs/pubsub.md': {
    'lib/pubsub/page': ['file=live.mjs', 'send', 'receive', 'errors'],
    'lib/features/topic-streams/topic-streams': ['events'],
  },
  'docs/security.md': { 'stages/packed/embedding-page': ['file=secure.mjs'] },
  'docs/services.md': { 'stages/packed/pages': ['host', 'asks'] },
  'docs/tour.md': {
    'stages/packed/example-server': ['run', 'package', 'service', 'behind', 'file=packages.mjs'],
  },
  'docs/yarn.md': {
    'stages/packed/example-server': ['start'],
    'stages/yarn/page': ['file', 'settings', 'package', 'live', 'run'],
  },
  'examples/custom-auth/README.md': { 'stages/packed/examples': ['run', 'asks'] },
  'examples/custom-cluster/README.md': { 'stages/packed/examples': ['run', 'asks'] },
  'examples/custom-storage/README.md': { 'stages/packed/examples': ['run', 'asks'] },
  'examples/desktop/README.md': {
    'stages/browser/desktop': ['run'],
    'stages/packed/single-executable': ['single'],
  },
  'examples/flink/README.md': { 'stages/packed/examples': ['run'] },
  'examples/platform-server/README.md': { 'stages/packed/examples': ['run'] },
  'examples/platform-server-koa/README.md': { 'stages/packed/examples': ['run'] },
};

const isClaimed = ({ attributes }: Snippet, claim: string): boolean => {
  const [name = '', value] = claim.split('=', 2);
  return name in attributes && (value === undefined || attributes[name] === value);
};

t.test('every snippet of every page is run by a test', async (t) => {
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)));
  const all = ['README.md', ...pages, ...examples];
  t.strictSame(
    Object.keys(runs).filter((page) => !all.includes(page)),
    [],
  );
  let count = 0;
  for (const page of all) {
    const claims = Object.entries(runs[page] ?? {}).flatMap(([test, words]) =>
      words.map((claim) => ({ test, claim })),
    );
    const snippets = snippetsOf(join(root, page));
    for (const snippet of snippets) {
      const by = claims.filter(({ claim }) => isClaimed(snippet, claim));
      t.equal(new Set(by.map(({ test }) => test)).size, 1, `${page}: ${snippet.text.slice(0, 60)}`);
      count++;
    }
    for (const { test, claim } of claims) {
      t.ok(
        snippets.some((snippet) => isClaimed(snippet, claim)),
        `${page} has no longer ${claim}`,
      );
      const [name, value] = claim.split('=', 2);
      const source = read(`test/${test}.test.ts`);
      t.ok(source.includes(`'${value ?? name}'`), `${test} does not look for ${claim} of ${page}`);
    }
  }
  t.ok(count > 90, `${count}`);
});

t.test('the commands for a clone are those that CI runs', async (t) => {
  const readme = snippetsOf(join(root, 'README.md'));
  const text = (word: string) => readme.find(({ attributes }) => word in attributes)?.text;
  t.equal(text('clone'), 'npm ci && npm start\n');
  t.equal(text('ci'), 'npm ci && npm test\n');
  const ci = read('.ci/run');
  const stages = [...ci.matchAll(/^stage \w+ (.*?)(?: &)?$/gm)].map(([, command]) => command);
  const lanes = [...ci.matchAll(/^lane (.*) &$/gm)].flatMap(([, names = '']) => names.split(' '));
  const { scripts } = JSON.parse(read('package.json'));
  // What `npm start` is made of: `npm run test:package` does the same, and then starts the server in a test.
  const steps = 'npm run -s build && npm run -s packages && ';
  t.equal(scripts.start, `${steps}node examples/server/server.js`);
  t.ok(scripts.ready.startsWith(steps));
  t.match(read('test/stages/packed/example-server.test.ts'), "'examples/server/server.js'");
  for (const command of ['npm ci', 'npm test', 'npm run ready']) t.ok(stages.includes(command), command);
  const ofStages = Object.keys(scripts).filter((name) => name.startsWith('test:'));
  t.strictSame(lanes.map((name) => `test:${name}`).sort(), ofStages.sort(), 'CI runs each stage once');
  const told = [...pages, 'README.md'].flatMap((page) => [...read(page).matchAll(/`npm run ([\w:]+)`/g)]);
  for (const [, name = ''] of told) {
    t.type(scripts[name], 'string', name);
  }
});
