// Where the single executable begins: as the app, or as one of its own child processes.
import { asNode, isChild } from './as-node.js';

if (isChild) asNode(process.argv.slice(2));
else import('./main.js');
