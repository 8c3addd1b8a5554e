import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { compareLeadingNumbers } from '../../../../lib/features/container-runtime/service.js';
import { dockerRuntime } from '../../../../packages/containers/index.js';
import { newGateway } from '../../../helpers/gateway.js';

// Which container runtime there is: probed on real sockets.

/** Something that tells its version as a runtime does. */
async function versionAt(t: Test, version: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const path = join(directory, 'r.sock');
  const server = createServer((req, res) =>
    res.writeHead(req.url === '/version' ? 200 : 404).end(JSON.stringify({ Version: version })),
  );
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  return `unix://${path}`;
}

t.test('it is asked each time, and held against the lowest version', async (t) => {
  const own = await versionAt(t, '1.8.3');
  const other = await versionAt(t, '20.10.24+dfsg1');
  const { client } = await newGateway(t, { containers: dockerRuntime({ host: own }) });
  const host = 'platform.containerHost';
  const told = () => client.getContainerRuntime();
  const issues = async () => (await client.listConfigIssues()).issues;

  t.strictSame(await told(), { isFound: true, version: '1.8.3', isCompatible: false, [host]: own });
  t.strictSame(await issues(), [
    {
      key: 'CONTAINER_RUNTIME_INCOMPATIBLE',
      severity: 'warning',
      description:
        'The container runtime "docker" is version 1.8.3, and 1.9.1 is the lowest that is supported',
    },
  ]);
  const least = { PROPERTY_NAME: 'platform.containerMinSupportedVersion' };
  await client.putProperty({ params: least, body: { value: '1.8' } });
  t.match(await told(), { isCompatible: true }, 'where an administrator says that this will do');
  t.strictSame(await issues(), []);
  await client.deleteProperty({ params: least });
  await client.putContainerRuntime({ body: { [host]: other } });
  t.strictSame(await issues(), []);
  t.strictSame(await told(), { isFound: true, version: '20.10.24+dfsg1', isCompatible: true, [host]: other });
  t.match(await client.getProperty({ params: { PROPERTY_NAME: host } }), { value: other });

  for (const url of ['nowhere', 'https://x', 'unix://relative', 'http://u:p@x'])
    await t.rejects(
      client.putContainerRuntime({ body: { [host]: url } }),
      { code: 'ADDRESS_NOT_VALID' },
      url,
    );
  t.match(await told(), { [host]: other }, 'a wrong address changes nothing');

  const gone = 'unix:///nowhere/r.sock';
  await client.putContainerRuntime({ body: { [host]: gone } });
  t.strictSame(await told(), { isFound: false, version: '', isCompatible: false, [host]: gone });
  t.strictSame(await issues(), [
    {
      key: 'CONTAINER_RUNTIME_NOT_FOUND',
      severity: 'warning',
      propertyName: host,
      description: `The container runtime "docker" does not answer at ${gone}: no service of type container can be started`,
    },
  ]);

  await client.putContainerRuntime({ body: { [host]: '' } });
  t.match(await told(), { version: '1.8.3', [host]: own });
  await client.putContainerRuntime({ body: { [host]: null } });
});

t.test('without a runtime there is none, and nothing to say where it is', async (t) => {
  const { client } = await newGateway(t);
  t.match(await client.getContainerRuntime(), { isFound: false, 'platform.containerHost': '' });
  t.strictSame((await client.listConfigIssues()).issues, [], 'a host that gives none wants none');
  await client.putContainerRuntime({ body: { 'platform.containerHost': '' } });
  const put = client.putContainerRuntime({ body: { 'platform.containerHost': 'tcp://127.0.0.1:1' } });
  await t.rejects(put, { status: 501, code: 'NOT_SUPPORTED' });
});

t.test('versions are compared by their numbers', async (t) => {
  const rows: [string, string, number][] = [
    ['1.9.1', '1.9.1', 0],
    ['1.10', '1.9.1', 1],
    ['1.9', '1.9.1', -1],
    ['4.3.1', '4.3', 1],
    ['20.10.24+dfsg1', '20.10.24', 0],
    ['5.0.0-rc1', '5', 0],
    ['odd', '0', 0],
  ];
  for (const [one, other, sign] of rows)
    t.equal(Math.sign(compareLeadingNumbers(one, other)), sign, `${one} and ${other}`);
});
