import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import t from 'tap';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import { newGateway } from '../../helpers/gateway.js';
import { listening } from '../../helpers/listening.js';
import { packageOf } from '../../helpers/packages.js';

// Packages that come in a form, as a page sends them.

const content = new Uint8Array(packageOf({ name: 'formed' }, { noise: randomBytes(2_000_000) }));
const file = new File([content], 'formed.apa');

function formOf(entries: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

type Sent = string | FormData | Uint8Array<ArrayBuffer>;

const upload = (baseUrl: string, body: Sent, type?: string) =>
  fetch(`${baseUrl}/ws/v2/appPackages`, {
    method: 'POST',
    body,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });

t.test('the file of a form is the package, whatever stands beside it', async (t) => {
  const { baseUrl, client } = await newGateway(t);
  const forms = {
    'one file': formOf([['file', file]]),
    'fields around it': formOf([
      ['csrf', 'x'.repeat(100_000)],
      ['anything', file],
      ['note', 'grüße'],
    ]),
  };
  for (const [name, form] of Object.entries(forms)) {
    const answer = await upload(baseUrl, form);
    t.equal(answer.status, 200, `${name}: ${await answer.text()}`);
    const [kept] = (await client.listPackages()).appPackages;
    const params = { owner: kept?.owner ?? 'nobody', name: 'formed', version: '1.0.0' };
    const back = await client.downloadPackage({ params });
    t.ok(Buffer.from(content).equals(Buffer.from(await back.arrayBuffer())), name);
    await client.deletePackage({ params });
  }
});

t.test('a form that is none, or holds something else, is refused and leaves nothing', async (t) => {
  const { baseUrl, client } = await newGateway(t);
  const whole = Buffer.from(await new Response(formOf([['file', file]])).arrayBuffer());
  const boundary = whole.subarray(2, whole.indexOf('\r\n')).toString();
  const type = `multipart/form-data; boundary=${boundary}`;
  const refused: Readonly<Record<string, readonly [Sent, string?]>> = {
    'two files': [
      formOf([
        ['file', file],
        ['other', file],
      ]),
    ],
    'no file': [formOf([['file', 'a text']])],
    'no fields': [new FormData()],
    'cut off': [new Uint8Array(whole.subarray(0, 1_000_000)), type],
    'cut off before the file': [new Uint8Array(whole.subarray(0, 20)), type],
    'another boundary': [new Uint8Array(whole), 'multipart/form-data; boundary=other'],
    'no boundary': [new Uint8Array(whole), 'multipart/form-data'],
    'nothing at all': ['', type],
  };
  for (const [name, [body, type]] of Object.entries(refused)) {
    const answer = await upload(baseUrl, body, type);
    t.equal(answer.status, 400, name);
    t.match(await answer.json(), { code: 'FORM_NOT_VALID', message: /octet-stream/ }, name);
  }
  t.strictSame((await client.listPackages()).appPackages, []);
  t.equal((await upload(baseUrl, formOf([['file', file]]))).status, 200, 'uploads go on');
});

t.test('the limit is that of the file, and of one that says its length', async (t) => {
  const { baseUrl } = await newGateway(t, { packages: { limits: { maxBytes: content.length } } });
  t.equal(
    (await upload(baseUrl, formOf([['file', file]]))).status,
    200,
    'the form is longer, the file is not',
  );
  const larger = await upload(baseUrl, formOf([['file', new File([content, 'x'], 'a')]]));
  t.equal(larger.status, 413, await larger.text());
});

t.test('a form that the host has parsed is refused with what to do', async (t) => {
  const { gateway } = await newGateway(t);
  const app = new Koa().use(koaBody({ multipart: true })).use(koaMiddleware(gateway));
  const { baseUrl, close } = await listening(createServer(app.callback()));
  t.teardown(close);
  const answer = await upload(baseUrl, formOf([['file', file]]));
  t.equal(answer.status, 415);
  t.match(await answer.json(), {
    code: 'BODY_ALREADY_READ',
    message: /send it as application\/octet-stream/,
  });
});
