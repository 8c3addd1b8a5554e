import { join } from 'node:path';
import t from 'tap';
import { apiReport } from '../../../scripts/api-report.js';
import { generatedPart } from '../../../scripts/generated-part.js';

const root = join(import.meta.dirname, '../../../..');

t.test('docs/api.md has every name that is exported, and no other', async (t) => {
  t.equal(generatedPart('docs/api.md'), apiReport(root), 'npm run docs');
});
