// Puts compiled modules together, so that they load in half the time and a child is a text wherever it is taken.
//   node scripts/bundle.js build    the programs of children alone (scripts/programs.js), beside what they are made of: for
//                                   the tests
//   node scripts/bundle.js dist     what the packages below ship, in `dist/bundle` of each: entry points, the chunks that they
//                                   share (the client shares none), and the licenses of what is inside them
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as zod from 'zod';
import { packageFiles, writeProgram, writePrograms } from './programs.js';
import { ignoreUnreachedTypes } from './unreached-types.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const isShipped = process.argv[2] !== 'build';

/** What is shipped as a bundle, each after those that its children are made of. `writeChildren` resolves what is inside. */
const packages = [
  {
    folder: '.',
    compiled: isShipped ? 'dist' : 'build',
    /** Processes and threads, each of one file. */
    async writeChildren() {
      const programs = [
        'lib/features/system-alerts/conditions/script-process-main',
        'lib/features/app-packages/archive/check-thread-main',
      ];
      return (await Promise.all(programs.map((program) => writeProgram(this.compiled, program)))).flat();
    },
  },
  { folder: 'packages/history' },
  { folder: 'packages/operators' },
  {
    folder: 'packages/engine',
    compiled: isShipped ? 'packages/engine/dist' : 'build/packages/engine',
    /** What runs in processes and threads of their own, and what modules of packages import. */
    writeChildren() {
      const own = {
        container: './container/main.js',
        watchdog: './container/watchdog.js',
        'stack-reader': './container/stack-reader.js',
        examine: './package-code/examine.js',
        operators: '@headgate/operators',
      };
      // Modules of packages get the whole of zod, and a container without any only what it uses itself.
      return writePrograms(this.compiled, [
        { programs: own, alias: isShipped ? ownZod : {} },
        { programs: { zod: 'zod' } },
      ]);
    },
  },
];

/**
 * zod's hundred files cost a start more time and memory than what is in them. So the core has inside what is used of it, and
 * the packages beside the core take it from there.
 */
const sharedZod = 'headgate/zod';
const ownZod = { zod: sharedZod };

/** Makes `lib/zod.ts` export what the packages call, and not the words of forty languages. */
const usedOfZod = {
  name: 'used of zod',
  setup({ onLoad }) {
    onLoad({ filter: /dist\/lib\/zod\.js$/ }, () => ({
      contents: `export { ${calledOfZod().join(', ')} } from 'zod';`,
    }));
  },
};

function calledOfZod() {
  const names = new Set();
  for (const { folder } of packages)
    for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
      if (file.startsWith('bundle') || !file.endsWith('.js')) continue;
      const text = readFileSync(join(folder, 'dist', file), 'utf8');
      if (!text.includes("import * as z from 'zod'")) continue;
      for (const [, name] of text.matchAll(/\bz\.(\w+)/g)) if (name in zod) names.add(name);
    }
  return [...names].toSorted();
}

/** What a page may load as it stands, so it is one file and shares no chunk with what is for Node. */
const forPages = './dist/lib/client.js';

/** Of a package, as its `exports` and `bin` name them. Resolves the files of other packages that went into them. */
async function bundleEntryPoints({ folder }) {
  const { bin = {}, exports, dependencies, peerDependencies = {} } = manifestIn(folder);
  const sources = Object.values(exports).flatMap(({ types }) => types?.replace(/\.d\.ts$/, '.js') ?? []);
  const commands = Object.values(bin).map((path) => `./dist/commands/${basename(path)}`);
  const isCore = folder === '.';
  const outside = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  if (isCore) outside.delete('zod');
  // Else a host that runs an application would have a second zod.
  if (folder === 'packages/engine') outside.delete('@headgate/operators');
  const written = async (paths, more) => {
    const { metafile } = await build({
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
      // Chunks of the operators' bundle name others that nothing here needs.
      logOverride: { 'ignored-bare-import': 'silent' },
      // Of a text with a single character beyond Latin-1 Node keeps every character in two bytes.
      charset: 'ascii',
      legalComments: 'none',
      absWorkingDir: join(root, folder),
      entryPoints: paths.map((path) => ({ in: path, out: basename(path, '.js') })),
      outdir: 'dist/bundle',
      external: [...outside],
      metafile: true,
      ...('headgate' in peerDependencies ? { alias: ownZod } : {}),
      ...(isCore ? { plugins: [usedOfZod] } : {}),
      ...more,
    });
    return packageFiles(metafile, folder);
  };
  const isForPages = (path) => path === forPages;
  const all = [...sources, ...commands];
  const inside = await written(
    all.filter((path) => !isForPages(path)),
    { splitting: true, chunkNames: 'chunk-[hash]' },
  );
  const pages = all.filter(isForPages);
  if (pages.length > 0) await written(pages, { platform: 'browser' });
  return inside;
}

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Of the packages that these files are of. */
function licenses(files) {
  const packages = new Set(files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
  return [...packages].toSorted().map((folder) => {
    const { name, version } = manifestIn(folder);
    const texts = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    if (texts.length === 0) throw new Error(`${name} has no license to ship`);
    const read = texts.map((file) => `--- ${file}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`);
    return `${name} ${version}\n\n${read.join('\n\n')}\n`;
  });
}

process.chdir(root);
for (const one of packages) {
  const bundles = join(one.folder, 'dist/bundle');
  if (isShipped) rmSync(bundles, { recursive: true, force: true });
  const inside = (await one.writeChildren?.()) ?? [];
  if (!isShipped) continue;
  inside.push(...(await bundleEntryPoints(one)));
  if (inside.length > 0)
    writeFileSync(
      join(bundles, 'LICENSES.txt'),
      `What is inside the files of this folder besides Headgate:\n\n${licenses(inside).join('\n\n')}`,
    );
}
if (isShipped) ignoreUnreachedTypes(root, manifestIn('.').exports);
