import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { operationTable } from './operation-table.js';

// Writes lib/client/operations.ts anew: `npm run docs`.

const file = join(import.meta.dirname, '../../lib/client/operations.ts');
writeFileSync(file, operationTable(listRoutes(routes)));
