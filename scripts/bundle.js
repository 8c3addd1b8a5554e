// Puts compiled modules together, so that they load in half the time and a child is one file wherever it is taken.
//   node scripts/bundle.js build    the children alone, beside what they are made of: for the tests
//   node scripts/bundle.js dist     what the core's package ships, in dist/bundle: each entry point, the chunks that they
//                                   share (the client shares none), the children, and the licenses of what is inside them
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = process.argv[2] ?? 'dist';
const bundles = join(root, 'dist/bundle');

/** Processes and threads, each started by its own file: all that it needs is in it, packages too. */
const children = [
  'lib/features/system-alerts/conditions/script-process-main',
  'lib/features/app-packages/archive/check-thread-main',
];

const shared = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' };

/** @returns the files of packages that went into it */
async function bundleChild(child) {
  const file = join(root, compiled, child);
  const { metafile } = await build({
    ...shared,
    entryPoints: [`${file}.js`],
    outfile: join(compiled === 'dist' ? bundles : dirname(file), `${basename(child)}.bundle.mjs`),
    metafile: true,
    minifySyntax: true,
    legalComments: 'inline',
  });
  return Object.keys(metafile.inputs).filter((input) => input.includes('node_modules/'));
}

/** What a page may load as it stands, so it is one file and shares no chunk with what is for Node. */
const forPages = './dist/lib/client.js';

async function bundleEntryPoints() {
  const { bin, exports, dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const sources = Object.values(exports).flatMap(({ types }) => types?.replace(/\.d\.ts$/, '.js') ?? []);
  const commands = Object.values(bin).map((path) => `./dist/commands/${basename(path)}`);
  const written = (paths, more) =>
    build({
      ...shared,
      absWorkingDir: root,
      entryPoints: paths.map((path) => ({ in: path, out: basename(path, '.js') })),
      outdir: bundles,
      external: Object.keys({ ...dependencies, ...peerDependencies }),
      ...more,
    });
  const forNode = [...sources, ...commands].filter((path) => path !== forPages);
  await written(forNode, { splitting: true, chunkNames: 'chunk-[hash]' });
  await written([forPages], { platform: 'browser' });
}

/** Of the packages that these files are of. */
function licenses(files) {
  const packages = new Set(files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)[0]));
  return [...packages].toSorted().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
    if (texts.length === 0) throw new Error(`${name} has no license to ship`);
    const read = texts.map((file) => `--- ${file}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`);
    return `${name} ${version}\n\n${read.join('\n\n')}\n`;
  });
}

process.chdir(root);
if (compiled === 'dist') {
  rmSync(bundles, { recursive: true, force: true });
  await bundleEntryPoints();
}
const inputs = (await Promise.all(children.map(bundleChild))).flat();
if (compiled === 'dist')
  writeFileSync(
    join(bundles, 'LICENSES.txt'),
    `What is inside the files of this folder besides Headgate:\n\n${licenses(inputs).join('\n\n')}`,
  );
