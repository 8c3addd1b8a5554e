import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { cyclesOf } from './helpers/import-cycles.js';
import { root, sourcesIn } from './helpers/sources.js';

// Who may import whom: `lib/README.md`. The sources are read as text, so a type import counts as an arrow too.

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
}

const importLine = /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importLine)].map((match) => {
    const specifier = match[2] ?? '';
    const to = specifier.startsWith('.') ? resolved(file, specifier) : specifier;
    return { from: file, to, typeOnly: match[1] !== undefined };
  });
}

/** The source that a relative specifier in `file` names. */
function resolved(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
}

const files = sourcesIn(['lib', 'adapters', 'commands', 'packages']);
const imports = files.flatMap(importsOf);
const show = (found: readonly Import[]) => found.map(({ from, to }) => `${from} -> ${to}`);
const isPackage = (to: string) => !/^(lib|adapters|commands|packages|test|node:)/.test(to);
/** The package that a source is of: its folder, `''` for the core. */
const packageOf = (path: string) => /^packages\/[^/]+\//.exec(path)?.[0] ?? '';
/** Folders of all packages of this repository, the core's first. */
const packages = ['', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/`)];
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
/** What is loaded by `require`, since it may be missing. */
const loadedByName: Readonly<Record<string, readonly string[]>> = {
  'packages/directory/': ['kerberos'],
  // By the core's adapter, for whom it is there to be found.
  'packages/server/': ['nodemailer'],
};
/** What is inside a child that is shipped as one file (`scripts/bundle.js`), and is installed by nobody. */
const bundled: Readonly<Record<string, readonly string[]>> = { '': ['ses'] };
const roomOf = (path: string) => /^lib\/features\/([^/]+)\//.exec(path)?.[1];

/** What each part of `lib` may import of the others, `lib/README.md`. Everything else in it composes them. */
const layers: Readonly<Record<string, readonly string[]>> = {
  model: [],
  interfaces: ['model'],
  runtime: ['interfaces', 'model'],
  formats: ['model', 'runtime'],
  storage: ['formats', 'interfaces', 'model', 'runtime'],
  definitions: ['model', 'runtime'],
  http: ['formats', 'interfaces', 'model', 'runtime', 'storage'],
  'driver-answers': ['http', 'interfaces', 'model', 'runtime'],
  forwarding: ['formats', 'http', 'interfaces', 'model', 'runtime'],
  pubsub: ['formats', 'http', 'interfaces', 'model', 'runtime'],
  features: [
    'definitions',
    'formats',
    'forwarding',
    'http',
    'interfaces',
    'model',
    'pubsub',
    'runtime',
    'storage',
  ],
};
/** What each folder of these packages may import of the others, `README.md` of each. What stands above them is its entry point. */
const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  lib: layers,
  'packages/engine': {
    model: [],
    access: [],
    operators: [],
    settings: ['access'],
    protocol: ['access', 'model', 'operators'],
    container: ['access', 'model', 'operators', 'protocol'],
    history: ['model'],
    store: ['history'],
    programs: ['store'],
    'package-code': ['operators', 'store'],
    plan: ['operators', 'package-code'],
    layout: ['model', 'plan', 'protocol', 'store'],
    processes: ['layout', 'model', 'operators', 'plan', 'programs', 'protocol', 'settings'],
    recovery: ['layout', 'model', 'plan', 'processes', 'protocol', 'store'],
    rollout: ['layout', 'model', 'plan', 'processes', 'protocol', 'recovery'],
    changes: [
      'history',
      'layout',
      'model',
      'package-code',
      'plan',
      'processes',
      'protocol',
      'recovery',
      'rollout',
      'store',
    ],
    recordings: ['layout', 'plan', 'processes', 'protocol', 'settings'],
    views: ['history', 'layout', 'model', 'plan', 'processes', 'settings', 'store'],
    running: [
      'access',
      'changes',
      'history',
      'layout',
      'model',
      'package-code',
      'plan',
      'processes',
      'protocol',
      'recordings',
      'recovery',
      'rollout',
      'settings',
      'store',
    ],
    masters: [
      'history',
      'layout',
      'model',
      'operators',
      'plan',
      'processes',
      'recordings',
      'running',
      'store',
      'views',
    ],
    lifecycle: ['model', 'operators', 'package-code', 'processes', 'programs', 'settings', 'store'],
    applications: ['lifecycle', 'masters', 'running', 'settings', 'store', 'views'],
    launch: [
      'access',
      'applications',
      'history',
      'layout',
      'lifecycle',
      'model',
      'package-code',
      'plan',
      'recordings',
      'running',
      'settings',
      'store',
      'views',
    ],
    web: ['applications', 'lifecycle', 'model', 'store', 'views'],
  },
  'packages/flink': {
    rest: [],
    sql: ['rest'],
    settings: [],
    jobs: ['rest'],
    observe: ['jobs', 'rest'],
    operate: ['jobs', 'observe', 'rest', 'sql'],
  },
  'packages/yarn': {
    wire: [],
    files: ['wire'],
    commands: ['wire'],
    manager: ['files', 'wire'],
    views: ['manager', 'wire'],
    settings: ['commands', 'wire'],
    launch: ['commands', 'manager', 'settings', 'views', 'wire'],
    masters: ['manager', 'views', 'wire'],
    facets: ['commands', 'files', 'manager', 'masters', 'views', 'wire'],
    applications: ['facets', 'files', 'manager', 'masters', 'settings', 'views', 'wire'],
  },
};
/** The folder of a source in one of these, `''` for what stands above them. */
const folderIn = (home: string, path: string) => /^\/([^/]+)\//.exec(path.slice(home.length))?.[1] ?? '';

t.test('arrows in lib, in the engine and in the drivers for Flink and YARN lead down', async (t) => {
  for (const [home, allowed] of Object.entries(folders)) {
    const inside = imports.filter(({ from, to }) => from.startsWith(`${home}/`) && to.startsWith(`${home}/`));
    const broken = inside.filter(({ from, to }) => {
      const [folder, other] = [folderIn(home, from), folderIn(home, to)];
      return folder !== other && allowed[folder]?.includes(other) === false;
    });
    t.strictSame(show(broken), [], home);
    const order = Object.keys(allowed);
    const up = order.filter((folder, index) =>
      allowed[folder]?.some((other) => order.indexOf(other) >= index),
    );
    t.strictSame(up, [], `${home}: each folder names only those before it`);
  }
});

t.test(
  'each folder of the engine and of the drivers for Flink and YARN has its place, the one that its README tells',
  async (t) => {
    for (const home of ['packages/engine', 'packages/flink', 'packages/yarn']) {
      const found = new Set(
        files.filter((file) => file.startsWith(`${home}/`)).map((file) => folderIn(home, file)),
      );
      found.delete('');
      const order = Object.keys(folders[home] ?? {});
      t.strictSame([...found].sort(), order.toSorted(), home);
      const page = readFileSync(join(root, home, 'README.md'), 'utf8');
      const told = [...page.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, folder]) => folder);
      // What runs in a child process has a table of its own.
      t.strictSame(told, order.filter((folder) => folder !== 'container').reverse(), `${home}/README.md`);
    }
  },
);

t.test('interfaces are types only', async (t) => {
  const broken = imports.filter(
    ({ from, to, typeOnly }) => from.startsWith('lib/interfaces/') && !(typeOnly && !isPackage(to)),
  );
  t.strictSame(show(broken), []);
});

t.test('a room uses other rooms only by schema, or by the type of their service', async (t) => {
  const broken = imports.filter(({ from, to, typeOnly }) => {
    const room = roomOf(from);
    const other = roomOf(to);
    if (!room || !other || room === other) return false;
    return !(to.endsWith('/schema.ts') || (to.endsWith('/service.ts') && typeOnly));
  });
  t.strictSame(show(broken), []);
});

t.test('a room uses of the hub only what a topic is', async (t) => {
  const broken = imports.filter(
    ({ from, to }) => roomOf(from) && to.startsWith('lib/pubsub/') && to !== 'lib/pubsub/topic.ts',
  );
  t.strictSame(show(broken), []);
});

t.test('routes and topics import services as types, so the table is pure data', async (t) => {
  const broken = imports.filter(
    ({ from, to, typeOnly }) =>
      /\/(routes|topics)\.ts$/.test(from) && to.endsWith('/service.ts') && !typeOnly,
  );
  t.strictSame(show(broken), []);
});

t.test('nothing in lib imports an adapter; adapters see lib only through its entry points', async (t) => {
  const entryPoints = ['lib/driver-kit.ts', 'lib/client.ts'];
  const broken = imports.filter(({ from, to }) => {
    if (from.startsWith('lib/')) return /^(adapters|packages|test)\//.test(to);
    // What is for hosts: of the first entry point only these know.
    if (/^(adapters\/host|commands)\//.test(from))
      return to.startsWith('lib/') && ![...entryPoints, 'lib/index.ts'].includes(to);
    return to.startsWith('lib/') && !entryPoints.includes(to);
  });
  t.strictSame(show(broken), []);
});

t.test('packages know of each other what their package.json says, by their entry points', async (t) => {
  const beyond = imports.filter(
    ({ from, to }) => /^(lib|adapters|commands|packages)\//.test(to) && packageOf(from) !== packageOf(to),
  );
  t.strictSame(show(beyond), [], 'no path leads out of a package');
  for (const folder of packages) {
    const { name, dependencies = {}, peerDependencies = {} } = manifestOf(folder);
    const used = new Set(
      imports
        .filter(({ from, to }) => packageOf(from) === folder && isPackage(to))
        .map(({ to }) => /^(?:@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to),
    );
    const loaded = [...used, ...(loadedByName[folder] ?? [])]
      .filter((one) => one !== name && !bundled[folder]?.includes(one))
      .sort();
    t.strictSame(Object.keys({ ...dependencies, ...peerDependencies }).sort(), loaded, name);
  }
});

t.test('adapters do not know each other, but for what hosts share', async (t) => {
  const driver = (file = '') => file.replace(/(-.*)?\.ts$/, '');
  const broken = imports.filter(({ from, to }) => {
    if (!from.startsWith('adapters/') || !to.startsWith('adapters/')) return false;
    const [, kind, name] = from.split('/');
    const [, otherKind, otherName] = to.split('/');
    if (kind !== otherKind) return true;
    if (kind === 'host') return false;
    if (kind === 'storage' || kind === 'mail') return driver(name) !== driver(otherName);
    return from !== to && !/^adapters\/auth\//.test(from);
  });
  t.strictSame(show(broken), []);
});

t.test('each package has its home', async (t) => {
  const homes: Record<string, RegExp> = {
    zod: /^(lib|commands|packages\/(containers|engine|flink|history|operators|yarn))\//,
    ws: /^adapters\/host\/|^lib\/client/,
    koa: /^adapters\/host\/koa\.ts$/,
    '@koa/router': /^adapters\/host\/koa\.ts$/,
    express: /^adapters\/host\/express\.ts$/,
    // Compiled patterns: linear time, whatever the pattern.
    re2js: /^(lib|packages\/operators)\//,
    sax: /^(lib\/formats\/hadoop-xml|packages\/jars\/javadoc)\.ts$/,
    // Integers of 64 bits in answers of the engine.
    'lossless-json': /^packages\/(yarn\/wire|flink\/rest)\//,
    ldapts: /^packages\/directory\/ldap/,
    nodemailer: /^adapters\/mail\/smtp/,
    '@fastify/busboy': /^lib\/http\/form-file\.ts$/,
    // Where a placeholder stands in a script.
    acorn: /^lib\/features\/(alert-templates|system-alerts)\//,
    // The process that runs conditions of alerts; a host that loaded it would be locked down.
    ses: /^lib\/features\/system-alerts\/conditions\/script-process-main\.ts$/,
    // Archives of programs.
    tar: /^packages\/containers\/process\/program\.ts$/,
    'classic-level': /^packages\/level\//,
    headgate: /^packages\/(console|contracts|server)\//,
    // What the bundled server is made of, as any host.
    'headgate/auth/configured': /^packages\/server\/gateway\.ts$/,
    'headgate/auth/first-of': /^packages\/server\/gateway\.ts$/,
    'headgate/auth/tokens': /^packages\/server\/gateway\.ts$/,
    'headgate/http': /^packages\/server\/server\.ts$/,
    'headgate/mail/smtp': /^packages\/server\/gateway\.ts$/,
    '@headgate/console': /^packages\/server\/gateway\.ts$/,
    '@headgate/containers': /^packages\/server\/gateway\.ts$/,
    '@headgate/directory': /^packages\/server\/gateway\.ts$/,
    '@headgate/jars': /^packages\/server\/gateway\.ts$/,
    '@headgate/level': /^packages\/server\/gateway\.ts$/,
    '@headgate/engine': /^packages\/server\/server\.ts$/,
    '@headgate/flink': /^packages\/server\/(server|settings)\.ts$/,
    '@headgate/yarn': /^packages\/server\/(server|settings)\.ts$/,
    pino: /^packages\/server\/log-file\.ts$/,
    'headgate/client': /^packages\/contracts\//,
    'headgate/host-probe': /^packages\/contracts\//,
    'headgate/driver-answers': /^packages\/contracts\//,
    'headgate/driver-kit': /^packages\//,
    // What a container loads besides would cost each 70 ms of processor time and 9 MB.
    'headgate/runtime': /^packages\/(engine\/container|containers\/process)\//,
    '@headgate/history': /^packages\/(engine|flink|yarn)\/(?!container\/)/,
    '@headgate/history/formats': /^packages\/(engine|yarn)\//,
    '@headgate/operators': /^packages\/engine\//,
    '@headgate/operators/engine': /^packages\/engine\//,
    '@headgate/operators/built-in': /^packages\/engine\/operators\/known-operators\.ts$/,
  };
  const broken = imports.filter(({ from, to }) => isPackage(to) && !homes[to]?.test(from));
  t.strictSame(show(broken), []);
});

t.test('the client loads nothing that a page does not have', async (t) => {
  const loaded = new Set<string>(['lib/client.ts']);
  for (const file of loaded)
    for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) loaded.add(to);
  const own = /^lib\/client(\.ts|\/(?!replies)[\w-]+\.ts)$/;
  t.strictSame(
    [...loaded].filter((file) => !own.test(file)),
    [],
  );
  t.ok(loaded.has('lib/client/operations.ts'), 'it was followed');
  const texts = [...loaded].map((file): [string, string] => [file, readFileSync(join(root, file), 'utf8')]);
  const named = texts.filter(([, text]) => /\bBuffer\b|\bprocess\b|\bnode:|\b__dirname\b/.test(text));
  t.strictSame(
    named.map(([file]) => file),
    [],
  );
  t.strictSame(
    texts.flatMap(([, text]) => [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, to]) => to)),
    ['ws'],
    'for Node alone, where it is asked for',
  );
});

t.test('of zod a bundle gets what is used, and not the words of forty languages', async (t) => {
  const whole = /^import (?!type )(?!\* as z from).*from 'zod'/m;
  t.strictSame(
    files.filter((file) => whole.test(readFileSync(join(root, file), 'utf8'))),
    [],
    "say: import * as z from 'zod'",
  );
});

t.test('no circular imports, not even of types', async (t) => {
  t.strictSame(cyclesOf(files, imports), []);
});

t.test('what is exported has a reader', async (t) => {
  const read = new Set<string>();
  const whole = new Set(published());
  for (const file of [...files, ...sourcesIn(['test', 'bench', 'scripts', 'examples'])]) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, names = '', specifier = ''] of text.matchAll(namedImport))
      for (const name of names.split(',')) {
        const [word = ''] = name
          .trim()
          .replace(/^type /, '')
          .split(' as ');
        read.add(`${resolved(file, specifier)} ${word}`);
      }
    for (const [, specifier = ''] of text.matchAll(wholeImport)) whole.add(resolved(file, specifier));
  }
  const unread = files
    .filter((file) => !whole.has(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(exportedName)]
        .map(([, name]) => `${file} ${name}`)
        .filter((name) => !read.has(name)),
    );
  t.strictSame(unread, []);
});

t.test('a name is exported once', async (t) => {
  // Drivers of a kind have the same parts: of them each is looked at by itself.
  const partOf = (file: string) =>
    /^(?:lib|commands|packages\/containers\/[^/]+|(?:packages|adapters)\/[^/]+)/.exec(file)?.[0];
  const homes = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(exportedName)) {
      const key = `${name} of ${partOf(file)}`;
      homes.set(key, (homes.get(key) ?? new Set()).add(file));
    }
  t.strictSame(
    [...homes].filter(([, places]) => places.size > 1).map(([name, places]) => [name, ...places]),
    [],
  );
});

const namedImport = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g;
const wholeImport = /(?:\*(?:\s+as\s+\w+)?\s+from\s+|import\(\s*)'(\.[^']+)'/g;
const exportedName =
  /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) +([\w$]+)/gm;

/** Files that hosts import by the name of the package. */
function published(): string[] {
  return packages.flatMap((folder) =>
    Object.values(manifestOf(folder).exports).flatMap(({ types }) =>
      types === undefined ? [] : [types.replace('./dist/', folder).replace(/\.d\.ts$/, '.ts')],
    ),
  );
}

t.test('a guest leaves the process alone', async (t) => {
  const forbidden =
    /\bprocess\.(env|exit|on|once)\b|\bconsole\.|\bglobalThis\.|(?:: any\b|as any\b|as unknown as|@ts-ignore)/;
  // These processes are ours whole.
  const own =
    /^(commands\/|packages\/(server\/|engine\/(container\/|package-code\/examine\.ts)|directory\/kerberos-helper\.ts|containers\/process\/supervisor-main\.ts)|lib\/features\/system-alerts\/conditions\/script-process-main\.ts)/;
  const broken = files
    .filter((file) => !own.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          forbidden.test(line) && !/^\s*(\*|\/\/|\/\*\*)/.test(line)
            ? [`${file}:${index + 1}: ${line.trim()}`]
            : [],
        ),
    );
  t.strictSame(broken, []);
});

t.test('folders of tests go after what is torn down', async (t) => {
  const own = join('test', 'helpers', 'folder.ts');
  const broken = sourcesIn(['test', 'bench']).filter(
    (file) => file !== own && /\bt\d?\.testdir\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  t.strictSame(broken, [], '`testFolder` of test/helpers/folder.ts makes one');
});

t.test('tests stand where the sources do', async (t) => {
  const lost = ['lib', 'adapters', 'packages']
    .flatMap((folder) => readdirSync(join(root, 'test', folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(join(root, 'test'), join(entry.parentPath, entry.name)))
    .filter((folder) => !existsSync(join(root, folder)));
  t.strictSame(lost, [], 'each folder of tests has the name of one of sources');
});

const maxFunctionLines = 80;
const maxFileLines = 300;

t.test('functions and files can be read as a whole', async (t) => {
  const long: string[] = [];
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
    const lines = lineOf(source.end) - 1;
    if (lines > maxFileLines) long.push(`${file}: ${lines} lines`);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) {
        const [first, last] = [lineOf(node.getStart(source)), lineOf(node.end)];
        if (last - first >= maxFunctionLines)
          long.push(`${file}:${first}: a function of ${last - first + 1} lines`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  t.strictSame(long, []);
});
