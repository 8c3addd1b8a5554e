import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { operations } from '../lib/client/operations.js';
import { reference } from '../lib/http/reference.js';
import { listRoutes } from '../lib/http/table.js';
import { allPermissions } from '../lib/model/permissions.js';
import { routes } from '../lib/routes.js';
import { topics } from '../lib/topics.js';
import { version } from '../lib/version.js';
import { flinkTable } from '../scripts/flink-table.js';
import { generatedPart } from '../scripts/generated-part.js';
import { operationOf, operationTable, placeTable } from '../scripts/operation-table.js';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

t.test('docs/reference.md says what the code says', async (t) => {
  const generated = generatedPart('docs/reference.md');
  const allTopics = Object.values(topics).flatMap((room) => Object.values(room));
  t.equal(generated, `${reference(listRoutes(routes), allTopics)}\n`, 'npm run docs');
  for (const permission of allPermissions) t.match(generated, `\n| \`${permission}\` |`);
});

t.test('docs/flink.md says what the driver offers', async (t) => {
  const generated = generatedPart('docs/flink.md');
  t.equal(generated, `${flinkTable()}\n`, 'npm run docs');
  t.notMatch(generated, /\| no: \|/, 'each that there is not with its reason');
});

t.test('the client knows the operations that there are', async (t) => {
  const listed = listRoutes(routes);
  t.equal(read('lib/client/operations.ts'), operationTable(listed), 'npm run docs');
  t.same(operations, Object.fromEntries(listed.map(({ id, route }) => [id, operationOf(route)])));
});

t.test('a start knows where every route is', async (t) => {
  t.equal(read('lib/route-places.ts'), placeTable(listRoutes(routes)), 'npm run docs');
});

t.test('a bar in a cell does not end it', async (t) => {
  const topic = { name: 'a', summary: 'one | two', access: 'user', kind: 'events' };
  t.match(reference([], [topic]), '| `a` | one \\| two | any user | as it happens |');
});

t.test('the version is that of package.json', async (t) => {
  t.equal(version, JSON.parse(read('package.json')).version);
});
