import { readFileSync } from 'node:fs';
import { Api, type HttpResponse, type Error as Refusal } from './generated/Api.js';

const [baseUrl = '', password = '', archive = ''] = process.argv.slice(2);
const api = new Api<string>({
  baseUrl,
  securityWorker: (cookie) => (cookie === null ? {} : { headers: { cookie } }),
});

const session = await api.ws.login({ userName: 'admin', password });
const cookies = session.headers.getSetCookie().map((one) => one.split(';')[0]);
api.setSecurityData(cookies.join('; '));
// It writes every body as JSON that is no form, so bytes are handed to `fetch` by whoever has them.
const bytes = new Api<string>({
  baseUrl,
  customFetch: (url, init) => fetch(url, { ...init, body: readFileSync(archive) }),
});
const headers = { cookie: cookies.join('; '), 'content-type': 'application/octet-stream' };
const { data: uploaded } = await bytes.ws.uploadPackage(new File([], 'made.apa'), {}, { headers });
const { data: list } = await api.ws.listPackages();
const refused = await api.ws.getApplication('none').then(
  () => undefined,
  (response: HttpResponse<unknown, Refusal>) => response.error,
);
console.log(
  JSON.stringify({
    user: session.data.userName,
    uploaded: uploaded.appPackageName,
    listed: list.appPackages.map(({ appPackageName }) => appPackageName),
    refused: refused?.code,
  }),
);
