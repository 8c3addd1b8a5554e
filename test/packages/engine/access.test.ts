import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { JsonApplication } from '../../../lib/driver-kit.js';
import { InvalidInput } from '../../../lib/index.js';
import { createAccess } from '../../../packages/engine/access/access.js';
import { addressTest } from '../../../packages/engine/access/addresses.js';
import { localCluster } from '../../../packages/engine/index.js';
import { FileLines, FileOutput, HttpPoll } from '../../../packages/operators/built-in.js';
import { openCluster, stream } from '../../helpers/local-cluster.js';
import { startOperator } from '../../helpers/operator-harness.js';

// What applications may reach outside of the engine, and every way around it that we know.

/** An engine's folder for files, a folder that the host allows, and a secret next to both. */
function folders(t: Test) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hg-access-')));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const [files, logs, outside] = ['files', 'logs', 'outside'].map((name) => join(root, name));
  if (!files || !logs || !outside) throw new Error('three folders');
  for (const folder of [files, logs, outside]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret'), 'secret\n');
  return {
    root,
    files,
    logs,
    outside,
    access: { folder: files, read: [logs], addresses: 'public' as const },
  };
}

t.test('paths: only what is really below', async (t) => {
  const { root, files, logs, outside, access } = folders(t);
  mkdirSync(join(root, 'files-too'));
  mkdirSync(join(files, 'deep'));
  writeFileSync(join(logs, 'a.log'), 'a\n');
  const links: [link: string, to: string][] = [
    ['files/out', outside],
    ['files/out-file', join(outside, 'secret')],
    ['files/out-relative', '../outside/secret'],
    ['files/out-new', join(outside, 'not-there-yet')],
    ['files/out-twice', 'out-relative'],
    ['files/deep/up', '..'],
    ['files/to-logs', logs],
    ['files/round', 'round'],
    ['outside/back', files],
    ['linked', files],
  ];
  for (const [link, to] of links) symlinkSync(to, join(root, link));
  const { toRead, toWrite } = createAccess({ write: [], ...access });
  const allowed: [path: string, real: string][] = [
    ['a.log', join(files, 'a.log')],
    ['.', files],
    ['not/there/../yet.log', join(files, 'not/yet.log')],
    ['deep/up/deep/x', join(files, 'deep/x')],
    ['..x', join(files, '..x')],
    [join(logs, 'a.log'), join(logs, 'a.log')],
    ['to-logs/a.log', join(logs, 'a.log')],
    [join(outside, 'back', 'x'), join(files, 'x')],
    [join(root, 'linked', 'x'), join(files, 'x')],
  ];
  for (const [path, real] of allowed) t.equal(toRead(path), real, path);
  const refused = [
    '/etc/passwd',
    '..',
    '../outside/secret',
    'deep/../../outside/secret',
    join(root, 'files-too'),
    join(root, 'files-too/x'),
    root,
    '/',
    'out',
    'out/secret',
    'out/new/file',
    'out-file',
    'out-relative',
    'out-new',
    'out-twice',
    'deep/up/out/secret',
  ];
  for (const path of refused) {
    t.throws(() => toRead(path), { message: /may not be read: only .*option files\.read/ }, path);
    t.throws(() => toWrite(path), { message: /may not be written: only .*option files\.write/ }, path);
  }
  t.throws(() => toRead('round'), { message: /more than 40 links/ });
  t.throws(() => toWrite(join(logs, 'a.log')), 'reading is not writing');
  t.throws(() => toRead('a\0b'));
  t.throws(() => toRead('a.log/../../outside/secret'));

  const linked = createAccess({ ...access, folder: join(root, 'linked'), write: ['/'] });
  t.equal(linked.toRead('x'), join(files, 'x'), 'a folder of the host may be a link itself');
  t.equal(linked.toWrite('/anywhere'), '/anywhere', 'the root allows everything');
});

t.test('addresses', async (t) => {
  const isPublic = addressTest('public');
  for (const address of ['93.184.216.34', '172.32.0.1', '2606:4700::1111', '::ffff:93.184.216.34'])
    t.ok(isPublic(address), address);
  const hidden =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:a9fe:a9fe 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 ff02::1';
  for (const address of hidden.split(' ')) t.notOk(isPublic(address), address);
  for (const address of ['127.0.0.1', '::1', '8.8.8.8']) t.ok(addressTest('any')(address), address);
  const listed = addressTest(['10.1.0.0/16', '::1', '127.0.0.1']);
  for (const address of ['10.1.255.1', '::1', '127.0.0.1', '::ffff:127.0.0.1', '::ffff:10.1.0.1'])
    t.ok(listed(address), address);
  for (const address of ['10.2.0.1', '127.0.0.2', '::2', '93.184.216.34', '::ffff:127.0.0.2'])
    t.notOk(listed(address), address);
  t.ok(addressTest(['public', '::1'])('93.184.216.34'));
  t.notOk(addressTest([])('93.184.216.34'));
  for (const wrong of ['localhost', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/', ''])
    t.throws(
      () => localCluster({ directory: '/nowhere', addresses: [wrong] }),
      { name: 'TypeError', message: /addresses: .* is neither an IP address/ },
      wrong,
    );
});

t.test(
  'FileLines: a link that comes to lead out is not followed, nor is one put into a rotation',
  async (t) => {
    const { files, outside, access } = folders(t);
    const reader = await startOperator(FileLines, { path: 'log', pollMillis: 10 }, { access });
    t.teardown(() => reader.stop());
    writeFileSync(join(files, 'log'), 'mine\n');
    await reader.pullUntil(() => reader.tuples().length > 0);
    const state = reader.checkpoint();
    await reader.stop();
    rmSync(join(files, 'log'));
    symlinkSync(join(outside, 'secret'), join(files, 'log'));
    symlinkSync(join(outside, 'secret'), join(files, 'log.1'));
    for (const restore of [undefined, state]) {
      const again = await startOperator(FileLines, { path: 'log', pollMillis: 10 }, { access, restore });
      await t.rejects(
        again.pullUntil(() => again.tuples().length > 0),
        { message: /^log may not be read/ },
      );
      await again.stop();
    }
    await t.rejects(startOperator(FileLines, { path: 'log', start: 'end' }, { access }), /may not be read/);
  },
);

t.test('FileOutput: neither its directory nor a file in it leads out', async (t) => {
  const { files, outside, access } = folders(t);
  symlinkSync(outside, join(files, 'out'));
  await t.rejects(async () => {
    await startOperator(FileOutput, { directory: 'out/new' }, { access });
  }, /may not be written/);
  t.notOk(existsSync(join(outside, 'new')), 'nothing was made there');
  const writer = await startOperator(FileOutput, { directory: 'mine/here' }, { access });
  writer.window(['line']);
  await writer.stop();
  t.equal(readFileSync(join(files, 'mine/here/output.000001.log'), 'utf8'), 'line\n');

  symlinkSync(join(outside, 'secret'), join(files, 'mine/here/output.000002.log'));
  symlinkSync(join(outside, 'made'), join(files, 'mine/here/output.000003.log'));
  const again = await startOperator(FileOutput, { directory: 'mine/here' }, { access });
  for (const sequence of [3, 2])
    t.throws(() => {
      const directory = 'mine/here';
      again.operator.restore({ directory, name: 'output.log', position: { sequence, offset: 0 }, lines: 0 });
    });
  await again.stop();
  t.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret\n');
  t.notOk(existsSync(join(outside, 'made')));
});

t.test('HttpPoll: the address that is connected to decides, whatever the name', async (t) => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end('here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const poll = async (host: string, addresses: 'public' | string[]) => {
    const url = `http://${host}:${port}/`;
    const started = await startOperator(HttpPoll, { url, intervalMillis: 10 }, { access: { addresses } });
    await started.pullUntil(() => started.emitted.length > 0);
    await started.stop();
    return started.emitted[0];
  };
  for (const host of [
    'localhost',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '[::1]',
  ])
    for (const addresses of ['public' as const, ['127.0.0.2'], []])
      t.match(
        await poll(host, addresses),
        { port: 'errors', tuple: { message: /may not be connected to; the option addresses/ } },
        `${host} ${addresses}`,
      );
  t.equal(requests, 0, 'nobody was asked');
  for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]'])
    t.match(await poll(host, ['127.0.0.0/8']), { port: 'output', tuple: { body: 'here' } }, host);
});

const reading = (path: string): JsonApplication => ({
  attributes: { MAX_CONTAINER_FAILURES: 0 },
  operators: [
    { name: 'lines', class: 'headgate.io.FileLines', properties: { path, pollMillis: 10 } },
    { name: 'files', class: 'headgate.io.FileOutput', properties: { directory: 'copy' } },
  ],
  streams: [stream('lines.output -> files.input', 'THREAD_LOCAL')],
});

t.test('a launch is refused with every property that is out of reach', async (t) => {
  const cluster = await openCluster(t);
  const application = reading('/etc/passwd');
  application.operators.push(
    { name: 'poll', class: 'headgate.io.HttpPoll', properties: { url: 'http://169.254.169.254/latest' } },
    { name: 'out', class: 'headgate.io.FileOutput', properties: { directory: '../..' } },
  );
  application.streams.push(stream('poll.output -> out.input'));
  const error = await t.rejects(cluster.launch(application), InvalidInput);
  t.match(error, {
    status: 400,
    details: [
      { path: 'operators.0.properties.path', message: /^\/etc\/passwd may not be read: .*files\.read/ },
      {
        path: 'operators.2.properties.url',
        message: /^169\.254\.169\.254 may not be connected to; .*addresses/,
      },
      { path: 'operators.3.properties.directory', message: /^\.\.\/\.\. may not be written: .*files\.write/ },
    ],
  });
  await t.rejects(
    cluster.launch(reading('x'), { properties: { 'dt.operator.lines.prop.path': '../engine.json' } }),
    { message: /^operators\.0\.properties\.path: / },
    'the properties of a launch count',
  );
  t.strictSame(await cluster.driver.resourceManager.listApplications(), []);
});

t.test(
  "containers read and write below the engine's folder and what the host allows, and nothing else",
  async (t) => {
    const { logs, outside } = folders(t);
    const cluster = await openCluster(t, { files: { read: [logs] } });
    const files = join(cluster.directory, 'files');
    writeFileSync(join(logs, 'allowed.log'), 'allowed\n');
    const application = reading(join(logs, 'allowed.log'));
    Object.assign(application.operators[0]?.properties ?? {}, { follow: false });
    await cluster.reached(await cluster.launch(application), 'FINISHED');
    t.equal(readFileSync(join(files, 'copy/output.000001.log'), 'utf8'), 'allowed\n');

    // Nothing there when it is launched; what comes then leads out.
    const id = await cluster.launch(reading('later.log'));
    await cluster.reached(id, 'RUNNING');
    symlinkSync(join(outside, 'secret'), join(files, 'later.log'));
    t.match(await cluster.reached(id, 'FAILED'), {
      failure: { operatorName: 'lines', message: /later\.log may not be read/ },
    });
    t.match(await cluster.driver.resourceManager.configuration?.read(), {
      'local.files': files,
      'local.files.read': logs,
      'local.files.write': '',
      'local.addresses': 'public',
    });
  },
);
