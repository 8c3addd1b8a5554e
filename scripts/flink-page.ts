import { flinkTable } from './flink-table.js';
import { writeGenerated } from './generated-part.js';

// Writes the generated part of docs/flink.md anew: `npm run docs`.

writeGenerated('docs/flink.md', `${flinkTable()}\n`);
