// Gives every package of this repository the core's version where it names one of its siblings: they move together.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const files = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'package.json'));

for (const file of files) {
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.version = version;
  for (const needed of [manifest.dependencies ?? {}, manifest.peerDependencies ?? {}])
    for (const name of Object.keys(needed))
      if (name === 'headgate' || name.startsWith('@headgate/')) needed[name] = version;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
