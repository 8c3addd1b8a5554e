import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reference } from '../lib/http/reference.js';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { topics } from '../lib/topics.js';

// Writes the generated part of docs/reference.md anew: `npm run docs`.

const page = join(import.meta.dirname, '../../docs/reference.md');
const marker = '<!-- From here on generated: npm run docs -->';
const present = readFileSync(page, 'utf8');
const [head] = present.split(marker);
const allTopics = Object.values(topics).flatMap((room) => Object.values(room));
writeFileSync(page, `${head}${marker}\n\n${reference(listRoutes(routes), allTopics)}\n`);
