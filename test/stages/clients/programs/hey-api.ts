import { readFileSync } from 'node:fs';
import { client } from './generated/hey-api/client.gen.js';
import { getApplication, listPackages, login, uploadPackage } from './generated/hey-api/index.js';

const [baseUrl = '', password = '', archive = ''] = process.argv.slice(2);
client.setConfig({ baseUrl });

const session = await login({ body: { userName: 'admin', password } });
const cookie = session.response.headers
  .getSetCookie()
  .map((one) => one.split(';')[0])
  .join('; ');
client.setConfig({ headers: { cookie } });
const { data: uploaded } = await uploadPackage({ body: new Blob([readFileSync(archive)]) });
const { data: list } = await listPackages();
const { error } = await getApplication({ path: { appid: 'none' } });
console.log(
  JSON.stringify({
    user: session.data?.userName,
    uploaded: uploaded?.appPackageName,
    listed: list?.appPackages.map(({ appPackageName }) => appPackageName),
    refused: error?.code,
  }),
);
