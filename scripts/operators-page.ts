import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInOperators, operatorReference } from '../packages/operators/built-in.js';

// Writes the generated part of docs/operators.md anew: `npm run docs`.

const page = join(import.meta.dirname, '../../docs/operators.md');
const marker = '<!-- From here on generated: npm run docs -->';
const [head] = readFileSync(page, 'utf8').split(marker);
writeFileSync(page, `${head}${marker}\n\n${operatorReference(builtInOperators)}\n`);
