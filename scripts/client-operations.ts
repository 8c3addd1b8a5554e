import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { operationTable, placeTable } from './operation-table.js';

// Writes lib/client/operations.ts and lib/route-places.ts anew: `npm run docs`.

const lib = join(import.meta.dirname, '../../lib');
writeFileSync(join(lib, 'client/operations.ts'), operationTable(listRoutes(routes)));
writeFileSync(join(lib, 'route-places.ts'), placeTable(listRoutes(routes)));
