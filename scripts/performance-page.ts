import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseResults } from '../bench/results.js';
import { writeGenerated } from './generated-part.js';
import { performancePicture } from './performance-picture.js';
import { performanceReport } from './performance-report.js';

// Writes the generated part of docs/performance.md, and docs/performance.svg, from bench/results.json: `npm run docs`.

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const results = parseResults(read('bench/results.json'));
writeGenerated('docs/performance.md', `${performanceReport(results, read('docs/operations.md'))}\n`);
writeFileSync(join(root, 'docs/performance.svg'), await performancePicture(results));
