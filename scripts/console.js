// Builds the pages of the console (`packages/console/src` to `packages/console/dist/pages`), each file also compressed, so that no
// request pays for it. Does nothing while what they are made of is the same.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'packages/console');
const pages = join(home, 'dist/pages');
const stamp = join(home, 'dist/.pages-of');

function madeOf() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(home, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const client = join(root, 'dist/bundle/client.js');
  const rest = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(home, name));
  for (const file of [...sources, ...rest, client, join(root, 'package-lock.json')]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

async function compress(file) {
  const content = await readFile(file);
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, best),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

const now = madeOf();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== now) {
  await build({ configFile: join(home, 'vite.config.ts'), logLevel: 'warn' });
  const assets = readdirSync(join(pages, 'assets')).filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(assets.map((name) => compress(join(pages, 'assets', name))));
  writeFileSync(stamp, now);
}
