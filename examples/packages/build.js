// Makes an .apa of each folder beside this file: a zip archive with the manifest first, the same bytes each time.
// node examples/packages/build.js [DIRECTORY]; without one they go to dist.
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import yazl from 'yazl';

const here = fileURLToPath(new URL('.', import.meta.url));
const target = process.argv[2] ?? join(here, 'dist');
const manifest = 'META-INF/MANIFEST.MF';
// Archives hold local time, so this one is the same everywhere.
const mtime = new Date(2026, 0, 1);

async function build(name) {
  const folder = join(here, name);
  const found = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort((one, other) => Number(other === manifest) - Number(one === manifest) || (one < other ? -1 : 1));
  const archive = new yazl.ZipFile();
  for (const file of files)
    archive.addBuffer(await readFile(join(folder, file)), file, {
      mtime,
      mode: 0o100644,
      forceDosTimestamp: true,
    });
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(join(target, `${name}.apa`)));
}

await mkdir(target, { recursive: true });
for (const entry of await readdir(here, { withFileTypes: true }))
  if (entry.isDirectory() && entry.name !== 'dist') await build(entry.name);
