import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReport } from './api-report.js';

// Writes docs/api.md anew: `npm run docs`.

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/api.md');
const marker = '<!-- From here on generated: npm run docs -->';
const [head] = readFileSync(page, 'utf8').split(marker);
writeFileSync(page, `${head}${marker}\n\n${apiReport(root)}`);
