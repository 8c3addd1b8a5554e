import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { apiReport } from '../../../scripts/api-report.js';

const root = join(import.meta.dirname, '../../../..');

t.test('docs/api.md has every name that is exported, and no other', async (t) => {
  const [, generated] = readFileSync(join(root, 'docs/api.md'), 'utf8').split(
    '<!-- From here on generated: npm run docs -->\n\n',
  );
  t.equal(generated, apiReport(root), 'npm run docs');
});
