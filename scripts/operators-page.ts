import { builtInOperators, operatorReference } from '../packages/operators/built-in.js';
import { writeGenerated } from './generated-part.js';

// Writes the generated part of docs/operators.md anew: `npm run docs`.

writeGenerated('docs/operators.md', `${operatorReference(builtInOperators)}\n`);
