import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';
import { root } from '../../helpers/sources.js';
import { tour } from './tour.js';

// Writes the examples of the OpenAPI document anew, from a tour through a living gateway: `npm run examples`.

const closing: (() => unknown)[] = [];
try {
  const recorded = await tour({ teardown: (close) => closing.push(close) });
  const lines = listRoutes(routes).map(({ id }) => `  ${id}: ${JSON.stringify(recorded.get(id) ?? null)},\n`);
  writeFileSync(
    join(root, 'lib/features/discovery/examples.ts'),
    `import type { Example } from '../../http/openapi.js';

// Written by \`npm run examples\`: what a tour through every operation of a living gateway sent and was answered.

// biome-ignore format: one line an operation.
export const examples: Readonly<Record<string, Example>> = {
${lines.join('')}};
`,
  );
} finally {
  for (const close of closing.reverse()) await close();
}
