import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flinkTable } from './flink-table.js';

// Writes the generated part of docs/flink.md anew: `npm run docs`.

const page = join(import.meta.dirname, '../../docs/flink.md');
const marker = '<!-- From here on generated: npm run docs -->';
const [head] = readFileSync(page, 'utf8').split(marker);
writeFileSync(page, `${head}${marker}\n\n${flinkTable()}\n`);
