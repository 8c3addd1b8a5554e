import { join } from 'node:path';
import { apiReport } from './api-report.js';
import { writeGenerated } from './generated-part.js';

// Writes docs/api.md anew: `npm run docs`.

writeGenerated('docs/api.md', apiReport(join(import.meta.dirname, '../..')));
