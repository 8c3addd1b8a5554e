import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import type { paths } from './generated/schema.js';

const [baseUrl = '', password = '', archive = ''] = process.argv.slice(2);
let cookie = '';
const client = createClient<paths>({ baseUrl, headers: {} });
client.use({
  onRequest({ request }) {
    if (cookie !== '') request.headers.set('cookie', cookie);
    return request;
  },
});

const login = await client.POST('/ws/v2/login', { body: { userName: 'admin', password } });
cookie = login.response.headers
  .getSetCookie()
  .map((one) => one.split(';')[0])
  .join('; ');
const { data: uploaded } = await client.POST('/ws/v2/appPackages', {
  body: readFileSync(archive, 'latin1'),
  bodySerializer: (body) => (typeof body === 'string' ? Buffer.from(body, 'latin1') : body),
  headers: { 'content-type': 'application/octet-stream' },
});
const { data: list } = await client.GET('/ws/v2/appPackages');
const { error } = await client.GET('/ws/v2/applications/{appid}', { params: { path: { appid: 'none' } } });
console.log(
  JSON.stringify({
    user: login.data?.userName,
    uploaded: uploaded?.appPackageName,
    listed: list?.appPackages.map(({ appPackageName }) => appPackageName),
    refused: error?.code,
  }),
);
