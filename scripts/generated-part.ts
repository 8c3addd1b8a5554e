import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const marker = '<!-- From here on generated: npm run docs -->\n\n';

/** What `npm run docs` has written into a page, `docs/api.md`. */
export function generatedPart(page: string): string | undefined {
  const [, generated] = readFileSync(join(root, page), 'utf8').split(marker);
  return generated;
}

/** Writes it anew; what somebody wrote stands before it. */
export function writeGenerated(page: string, text: string): void {
  const file = join(root, page);
  const [head] = readFileSync(file, 'utf8').split(marker);
  writeFileSync(file, `${head}${marker}${text}`);
}
