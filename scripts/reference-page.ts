import { reference } from '../lib/http/reference.js';
import { listRoutes } from '../lib/http/table.js';
import { routes } from '../lib/routes.js';
import { topics } from '../lib/topics.js';
import { writeGenerated } from './generated-part.js';

// Writes the generated part of docs/reference.md anew: `npm run docs`.

const allTopics = Object.values(topics).flatMap((room) => Object.values(room));
writeGenerated('docs/reference.md', `${reference(listRoutes(routes), allTopics)}\n`);
