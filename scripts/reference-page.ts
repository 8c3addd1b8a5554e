import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { permissionTable, reference } from '../lib/http/reference.js';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { topics } from '../lib/topics.js';

// Writes the generated parts of docs/reference.md and of the README anew: `npm run docs`.

const page = join(import.meta.dirname, '../../docs/reference.md');
const marker = '<!-- From here on generated: npm run docs -->';
const present = readFileSync(page, 'utf8');
const [head] = present.split(marker);
const allTopics = Object.values(topics).flatMap((room) => Object.values(room));
writeFileSync(page, `${head}${marker}\n\n${reference(listRoutes(routes), allTopics)}\n`);

const readme = join(import.meta.dirname, '../../README.md');
const begin = '<!-- From here to the next comment generated: npm run docs -->';
const end = '<!-- end -->';
const text = readFileSync(readme, 'utf8');
const [before, after] = [text.split(begin)[0], text.split(end)[1]];
writeFileSync(readme, `${before}${begin}\n\n${permissionTable(listRoutes(routes))}\n\n${end}${after}`);
