// Declarations that no entry point of the core leads to: they are compiled with the rest, and nobody who installs it could read them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const imported = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

/** Leaves them out of the tarball: npm reads this file in folders below that of package.json, whatever `files` names. */
export function ignoreUnreachedTypes(root, exports) {
  const reached = new Set();
  const waiting = Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    if (!existsSync(file))
      throw new Error(`${relative(root, file)} is declared nowhere: remove dist, and build again`);
    reached.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imported))
      waiting.push(join(file, '..', `${path}.d.ts`));
  }
  const dist = join(root, 'dist');
  const unreached = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.d.ts') && !reached.has(join(dist, file)),
  );
  writeFileSync(join(dist, '.npmignore'), unreached.map((file) => `/${file}\n`).join(''));
}
