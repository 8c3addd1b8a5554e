import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from './browser.js';

t.teardown(closeBrowser);

t.test('the host of docs/console.md shows it', async (t) => {
  const snippet = snippetsOf(join(root, 'docs/console.md')).find(
    ({ attributes }) => attributes['file'] === 'console.mjs',
  );
  const port = await ownPort();
  const folder = folderBesideBuilt(t, 'console');
  writeFileSync(join(folder, 'console.mjs'), snippet?.text.replace('9090', String(port)) ?? '');
  const host = start(process.execPath, ['console.mjs'], { cwd: folder });
  t.teardown(() => host.stop());
  const baseUrl = `http://127.0.0.1:${port}`;
  await until(
    () => fetch(`${baseUrl}/console/`).catch(() => undefined),
    (answer) => answer?.status === 200,
  );
  await inWindow(t, { baseUrl }, async (page) => {
    await enter(page, baseUrl, '');
    await page.getByText('No application yet').waitFor();
    await page.getByText('Acme Streams').waitFor();
    await page.getByText('staging').waitFor();
  });
});
