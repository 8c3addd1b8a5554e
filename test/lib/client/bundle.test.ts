import t from 'tap';
import { bundledClient, maxClientBytes } from '../../helpers/client-bundle.js';

t.test('a page gets a small client, and nothing of Node', async (t) => {
  const { code, gzipBytes, files } = await bundledClient();
  t.ok(gzipBytes <= maxClientBytes, `${gzipBytes} bytes compressed`);
  t.match(code, '/ws/v2/login', 'it is the client');
  t.notMatch(code, /\bBuffer\b|\bprocess\b|\bglobal\b|node:|\b__dirname\b/);
  t.strictSame(
    files.filter((file) => !/(^|\/)lib\/client(\.js|\/[\w-]+\.js)$/.test(file)),
    ['node_modules/ws/browser.js'],
    'of other packages only what says that browsers have WebSockets',
  );
});
