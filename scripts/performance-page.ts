import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseResults } from '../bench/results.js';
import { performancePicture } from './performance-picture.js';
import { performanceReport } from './performance-report.js';

// Writes the generated part of docs/performance.md, and docs/performance.svg, from bench/results.json: `npm run docs`.

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const marker = '<!-- From here on generated: npm run docs -->';
const page = join(root, 'docs/performance.md');

const results = parseResults(read('bench/results.json'));
const [head] = readFileSync(page, 'utf8').split(marker);
writeFileSync(page, `${head}${marker}\n\n${performanceReport(results, read('docs/operations.md'))}\n`);
writeFileSync(join(root, 'docs/performance.svg'), await performancePicture(results));
