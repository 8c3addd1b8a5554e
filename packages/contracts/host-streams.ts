import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { HostTest } from './host-test.js';
import { answerTo, begin, exchange, received, settled, until } from './host-wire.js';

const megabyte = 1024 * 1024;
/** More than all the buffers between two ends of a connection, proxies included, can hold. */
const large = 64 * megabyte;

const uploading = {
  method: 'POST',
  path: '/ws/v2/probe/uploads',
  headers: { 'content-type': 'application/zip' },
};

/** Bodies that flow, both ways. */
export function streamContract(test: HostTest): void {
  uploadTests(test);
  downloadTests(test);
}

function uploadTests(test: HostTest): void {
  test('an upload arrives byte by byte, whatever its content type', async ({ baseUrl }) => {
    const content = Buffer.alloc(3 * megabyte, '0123456789');
    const digest = createHash('sha256').update(content).digest('hex');
    for (const type of ['application/zip', 'application/octet-stream', undefined]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const answer = await exchange(baseUrl, { ...uploading, headers, body: content });
      assert.deepEqual(answer.json(), { size: content.length, digest });
    }
  });

  test('an upload waits for its reader', async ({ baseUrl, probe }) => {
    let open = () => {};
    probe.gate = new Promise((resolve) => {
      open = resolve;
    });
    const outgoing = begin(baseUrl, uploading);
    const answered = answerTo(outgoing);
    let accepted = 0;
    const chunk = Buffer.alloc(megabyte);
    const write = () => {
      if (accepted >= large) return void outgoing.end();
      outgoing.write(chunk, () => {
        accepted += chunk.length;
        write();
      });
    };
    write();
    assert.ok((await settled(() => accepted)) < large, 'everything was taken before anybody read');
    open();
    assert.equal((await received(await answered)).json()['size'], large);
  });

  test('a client that hangs up in an upload ends the work on it', async ({ baseUrl, probe }) => {
    const outgoing = begin(baseUrl, uploading);
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(megabyte));
    await until('the upload arrives', () => probe.received > 0);
    outgoing.destroy();
    await until('the request is logged', () => probe.logs.length > 0);
    assert.deepEqual([probe.logs[0]?.['status'], probe.logs[0]?.['code']], [499, 'CLIENT_HUNG_UP']);
    assert.equal((await exchange(baseUrl, { path: '/ws/v2/probe/names/a' })).status, 200);
  });

  test('a client that hangs up before the answer aborts the signal', async ({ baseUrl, probe }) => {
    const outgoing = begin(baseUrl, { path: '/ws/v2/probe/waiting' });
    outgoing.on('error', () => {});
    outgoing.end();
    await until('the request arrives', () => probe.waiting !== undefined);
    assert.equal(probe.waiting?.aborted, false);
    outgoing.destroy();
    await until('the signal is aborted', () => probe.waiting?.aborted === true);
  });
}

function downloadTests(test: HostTest): void {
  test('a download arrives byte by byte, with its name and length', async ({ baseUrl }) => {
    const path = `/ws/v2/probe/downloads/${encodeURIComponent('grüße "1".zip')}?size=${3 * megabyte}`;
    const answer = await exchange(baseUrl, { path });
    assert.equal(answer.text.length, 3 * megabyte);
    assert.equal(answer.headers['content-type'], 'application/zip');
    assert.equal(answer.headers['content-length'], String(3 * megabyte));
    assert.match(
      answer.headers['content-disposition'] ?? '',
      /filename\*=UTF-8''gr%C3%BC%C3%9Fe%20%221%22\.zip/,
    );
  });

  test('text arrives as it comes, as UTF-8', async ({ baseUrl }) => {
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/texts/a' });
    assert.equal(answer.text, 'first line\ngrüße\n');
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
  });

  test('a download waits for its reader, and stops when the client hangs up', async ({ baseUrl, probe }) => {
    const outgoing = begin(baseUrl, { path: `/ws/v2/probe/downloads/a.zip?size=${large}` });
    outgoing.on('error', () => {});
    const answered = answerTo(outgoing);
    outgoing.end();
    (await answered).pause();
    assert.ok((await settled(() => probe.made)) < large, 'everything was made before anybody read');
    assert.equal(probe.source?.destroyed, false);
    outgoing.destroy();
    await until('the source is destroyed', () => probe.source?.destroyed === true);
    assert.ok(probe.made < large);
  });

  test('a download that breaks cuts the connection, and the log says why', async ({ baseUrl, probe }) => {
    const path = `/ws/v2/probe/downloads/a.zip?size=${large}&breakAt=${megabyte}`;
    await assert.rejects(exchange(baseUrl, { path }));
    await until('the log says why', () => probe.logs.length === 2);
    assert.match(String(probe.logs[1]?.['err']), /The disk is gone/);
    assert.equal(probe.logs[1]?.['requestId'], probe.logs[0]?.['requestId']);
  });

  test('a download that breaks before its first byte is an error like any other', async ({
    baseUrl,
    probe,
  }) => {
    const answer = await exchange(baseUrl, { path: '/ws/v2/probe/downloads/a.zip?size=10&breakAt=0' });
    assert.equal(answer.status, 500);
    assert.equal(answer.json()['code'], 'INTERNAL');
    assert.equal(answer.headers['content-disposition'], undefined);
    assert.match(String(probe.logs[0]?.['err']), /The disk is gone/);
  });
}
