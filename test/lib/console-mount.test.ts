import { once } from 'node:events';
import { Readable } from 'node:stream';
import t from 'tap';
import type { ConsolePages, PageRequest } from '../../lib/index.js';
import { newGateway } from '../helpers/gateway.js';

// Where the pages of a console are, and what the gateway does about them: the pages themselves are the host's.

const asked: PageRequest[] = [];
let lastBody: Readable | undefined;
const pages: ConsolePages = {
  async answer(request) {
    asked.push(request);
    if (request.path === 'broken') throw new Error('EIO: secret of the disk');
    if (request.path === 'streamed') {
      lastBody = Readable.from(['a page'], { objectMode: false });
      return {
        status: 200,
        headers: { 'content-type': 'text/plain', 'content-length': '6' },
        body: lastBody,
      };
    }
    return { status: 200, headers: { 'content-type': 'text/html' }, body: `<p>${request.path}</p>` };
  },
};

t.test('pages are below /console/, and nothing is asked of whoever wants one', async (t) => {
  const { baseUrl } = await newGateway(t, { console: pages });
  const redirected = await fetch(`${baseUrl}/console?embed=1`, { redirect: 'manual' });
  t.equal(redirected.status, 308);
  t.equal(
    redirected.headers.get('location'),
    'console/?embed=1',
    'relative: a proxy may have another prefix',
  );
  t.equal(await (await fetch(`${baseUrl}/console/apps/app_1?q=x`)).text(), '<p>apps/app_1</p>');
  t.equal(await (await fetch(`${baseUrl}/console/`)).text(), '<p></p>');
  t.equal((await fetch(`${baseUrl}/consoles`)).status, 404, 'the host’s');
});

t.test('a page is read, and nothing else', async (t) => {
  const { baseUrl } = await newGateway(t, { console: pages });
  const head = await fetch(`${baseUrl}/console/streamed`, { method: 'HEAD' });
  t.strictSame([head.status, head.headers.get('content-length'), await head.text()], [200, '6', '']);
  if (lastBody && !lastBody.destroyed) await once(lastBody, 'close');
  t.equal(lastBody?.destroyed, true, 'nobody reads it');
  const posted = await fetch(`${baseUrl}/console/apps`, { method: 'POST', body: 'x' });
  t.strictSame([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});

t.test('pages that fail are told to the log, and not to the browser', async (t) => {
  const { baseUrl, logs } = await newGateway(t, { console: pages });
  const failed = await fetch(`${baseUrl}/console/broken`);
  t.equal(failed.status, 500);
  t.notMatch(await failed.text(), /secret/);
  t.match(
    logs.find(({ fields }) => fields['event'] === 'pages.unreadable'),
    { level: 'error', fields: { path: '/console/broken' } },
  );
});

t.test('without a console the path is the host’s', async (t) => {
  const { baseUrl, gateway } = await newGateway(t);
  t.equal(gateway.owns('/console/'), false);
  t.equal(await (await fetch(`${baseUrl}/console/`)).text(), 'not the gateway');
});
