import { readFileSync } from 'node:fs';
import { defaults, getApplication, listPackages, login, uploadPackage } from './generated/client.js';

const [baseUrl = '', password = '', archive = ''] = process.argv.slice(2);
defaults.baseUrl = baseUrl;
// `fetch` of Node keeps no cookies; that of a page does.
let cookie = '';
defaults.fetch = async (url, init) => {
  const response = await fetch(url, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init?.headers)), cookie },
  });
  cookie ||= response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  return response;
};

const session = await login({ userName: 'admin', password });
const uploaded = await uploadPackage(new Blob([readFileSync(archive)]));
const list = await listPackages();
const refused = await getApplication('none');
console.log(
  JSON.stringify({
    user: session.status === 200 ? session.data.userName : undefined,
    uploaded: uploaded.status === 200 ? uploaded.data.appPackageName : undefined,
    listed: list.status === 200 ? list.data.appPackages.map(({ appPackageName }) => appPackageName) : [],
    refused: refused.status === 404 ? refused.data.code : undefined,
  }),
);
