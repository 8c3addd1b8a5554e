import { Readable } from 'node:stream';
import t from 'tap';
import { z } from 'zod';
import { either, empty, File, file, json, passthrough, Text, text } from '../../../lib/http/reply.js';

const content = () => Readable.from(['content']);
const encoded = (name: string, more?: ConstructorParameters<typeof File>[3]) =>
  file('application/zip').encode(new File(content(), name, 7, more));

t.test('JSON, and nothing', async (t) => {
  t.strictSame(json(z.object({ a: z.string() })).encode({ a: 'ü' }), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"a":"ü"}',
  });
  t.strictSame(empty.encode(), { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
});

t.test('the name of a download survives in every client, and breaks no header', async (t) => {
  const names: [name: string, plain: string, whole: string][] = [
    ['app-1.0.zip', 'app-1.0.zip', 'app-1.0.zip'],
    ['two words.zip', 'two words.zip', 'two%20words.zip'],
    ['grüße.zip', 'gr__e.zip', 'gr%C3%BC%C3%9Fe.zip'],
    ['a"b\\c.zip', 'a_b_c.zip', 'a%22b%5Cc.zip'],
    ['a\r\nset-cookie: x=1', 'a__set-cookie: x=1', 'a%0D%0Aset-cookie%3A%20x%3D1'],
    ["it's (1)*.zip", "it's (1)*.zip", 'it%27s%20%281%29%2A.zip'],
    ['../../etc/passwd', '.._.._etc_passwd', '..%2F..%2Fetc%2Fpasswd'],
    ['\ud800.zip', '_.zip', '%EF%BF%BD.zip'],
  ];
  for (const [name, plain, whole] of names) {
    const header = encoded(name).headers['content-disposition'];
    t.equal(header, `attachment; filename="${plain}"; filename*=UTF-8''${whole}`, name);
  }
});

t.test('a whole file, a part of one, and what tells them apart', async (t) => {
  const whole = encoded('a.zip', { etag: 'abc' });
  t.match(whole, {
    status: 200,
    headers: { 'content-length': '7', etag: '"abc"', 'accept-ranges': 'bytes' },
  });
  t.notOk('content-range' in whole.headers);
  const part = encoded('a.zip', { range: { start: 10, end: 17, of: 100 } });
  t.match(part, { status: 206, headers: { 'content-length': '7', 'content-range': 'bytes 10-16/100' } });
  t.notOk('etag' in part.headers);
});

t.test('text says its charset and is not guessed at', async (t) => {
  const reply = text().encode(new Text('a', { 'x-more': '1' }));
  t.strictSame(reply.headers, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'x-more': '1',
  });
});

t.test('either is what the handler gave', async (t) => {
  const reply = either(text(), json(z.object({ lines: z.array(z.string()) })));
  t.equal(reply.encode(new Text('a')).body, 'a');
  t.equal(reply.encode({ lines: ['a'] }).body, '{"lines":["a"]}');
  t.strictSame(reply.contentTypes, ['text/plain; charset=utf-8', 'application/json']);
});

t.test('passthrough changes nothing', async (t) => {
  const response = { status: 418, headers: { a: ['1', '2'] }, body: content() };
  t.equal(passthrough.encode(response), response);
});
