import t from 'tap';
import { logsInFolder, logsInList, logsOnPage } from '../../../packages/yarn/facets/log-places.js';
import { createLogSplitter } from '../../../packages/yarn/facets/log-splitter.js';
import { yarnDouble } from '../../doubles/yarn/index.js';
import { untilState } from '../../helpers/applications.js';
import { pipeline, type YarnGateway, yarnGateway } from '../../helpers/yarn.js';

// Every way to a container's logs, and what comes when one of them is gone.

const limits = { timeoutMillis: 1000, backOffMillis: 1000, commandMillis: 60_000 };

async function withLogs(yarn: YarnGateway) {
  const application = await yarn.double.run(pipeline());
  const tricky = 'LogType:fake\nLogLength:3\nLog Contents:\nxyz\nEnd of LogType:stdout\n';
  application.logs.set('stdout', tricky);
  const params = { appid: application.id };
  const { containers } = await yarn.client.listContainers({ params, query: {} });
  const id = containers.find(({ containerType }) => containerType === 'STREAMING')?.id ?? '';
  return { application, params: { ...params, containerId: id }, tricky };
}

const text = async (answer: unknown) => (answer instanceof Response ? answer.text() : undefined);

t.test('lists in all their shapes', async (t) => {
  const found = [
    { name: 'apex.log', length: 7 },
    { name: 'stdout', length: 0 },
  ];
  const files = [
    { fileName: 'stdout', fileSize: '0', lastModifiedTime: 'x' },
    { fileSize: 7, fileName: 'apex.log' },
    { fileName: '../etc', fileSize: 1 },
  ];
  t.same(logsInList({ containerLogInfo: files }), found, '2.8');
  t.same(logsInList({ containerLogsInfo: { containerLogInfo: files, containerId: 'c' } }), found, '2.9, 3.0');
  const aggregated = { logAggregationType: 'AGGREGATED', containerLogInfo: [files[0]] };
  t.same(logsInList({ containerLogsInfo: [{ containerLogInfo: files }, aggregated] }), found, '3.x');
  t.equal(logsInList({ RemoteException: {} })?.length ?? 0, 0);
  t.equal(logsInList(undefined), undefined);
  t.same(logsOnPage('<a href="x">apex.log : Total file length is 7 bytes.</a>'), [found[0]]);
  t.same(
    logsInFolder(
      '<TR><TD><A HREF="/../">Parent Directory</A></TD><TD></TD></TR><TR><TD><A HREF="/x">apex.log&nbsp;</TD><TD ALIGN=right>7 bytes&nbsp;</TD></TR>',
    ),
    [found[0]],
  );
});

t.test('what yarn logs prints, in pieces of every size, of both generations', async (t) => {
  const content = 'LogType:fake\nLogLength:3\nLog Contents:\nxyz';
  const old = `noise\nLogType:a\nLog Upload Time:now\nLogLength:${content.length}\nLog Contents:\n${content}End of LogType:a\n\n`;
  const recent = `LogType:b\nLogLastModifiedTime:now\nLogLength:2\nLogContents:\n\n\n\nEnd of LogType:b\n****\n`;
  const printed = Buffer.from(`${old}${recent}LogType:c\nLogLength:0\nLogContents:\n\nEnd of LogType:c\n`);
  for (const size of [1, 2, 3, 7, 64, printed.length]) {
    const splitter = createLogSplitter();
    const parts = new Map<string, string>();
    for (let i = 0; i < printed.length; i += size)
      for (const { log, bytes } of splitter.split(printed.subarray(i, i + size)))
        parts.set(log.name, (parts.get(log.name) ?? '') + bytes);
    t.same(splitter.logs, [
      { name: 'a', length: content.length },
      { name: 'b', length: 2 },
      { name: 'c', length: 0 },
    ]);
    t.same([parts.get('a'), parts.get('b'), parts.has('c')], [content, '\n\n', false], `pieces of ${size}`);
    t.ok(splitter.isBetween);
    t.match(splitter.remarks, /^noise\nLog Upload Time/);
  }
});

t.test('while it runs: plain files, the list of Hadoop 3, the page of Hadoop 2', async (t) => {
  const yarn = await yarnGateway(t, { limits });
  const { params, tricky } = await withLogs(yarn);
  const origin = yarn.double.nodeManager.url;
  for (const [raw, version, path] of [
    [false, 2, 'ws/v1/node/containerlogs'],
    [false, 3, 'ws/v1/node/containerlogs'],
    [true, 2, `logs/userlogs/${params.appid}`],
  ] as const) {
    yarn.double.rawLogs = raw;
    yarn.double.nodes.version = version;
    const { logs } = await yarn.client.listLogs({ params });
    t.same(
      logs.find(({ name }) => name === 'stdout'),
      {
        name: 'stdout',
        length: tricky.length,
        rawUrl: `${origin}/${path}/${params.containerId}/stdout`,
      },
    );
    const rawLog = await fetch(logs.find(({ name }) => name === 'stdout')?.rawUrl ?? '');
    t.equal(await rawLog.text(), tricky, 'what rawUrl says');
    const log = { ...params, logName: 'stdout' };
    t.equal(await text(await yarn.client.readLog({ params: log, query: { start: 8, end: 13 } })), 'fake\n');
  }
  const asked = yarn.double.nodeManager.asked.length;
  yarn.double.rawLogs = true;
  await t.rejects(yarn.client.readLog({ params: { ...params, logName: '../x' }, query: {} }), {
    status: 404,
    code: 'NOT_FOUND',
  });
  t.equal(yarn.double.nodeManager.asked.length, asked, 'what is no name of a log is not asked for');
});

t.test('a log that is deleted, or begins anew, while it is read', async (t) => {
  const yarn = await yarnGateway(t, { limits });
  const { application, params } = await withLogs(yarn);
  yarn.double.rawLogs = true;
  const log = { ...params, logName: 'apex.log' };
  const read = async () => {
    application.logs.set('apex.log', 'line\n'.repeat(100_000));
    return text(await yarn.client.readLog({ params: log, query: { start: 400_000 } }));
  };
  t.equal((await read())?.length, 100_000);
  yarn.double.nodes.probed = () => application.logs.delete('apex.log');
  await t.rejects(read(), 'half a log is never told as a whole one');
  // With status 416 and all of the new content, which is no part of the old.
  yarn.double.nodes.probed = () => application.logs.set('apex.log', 'new\n');
  await t.rejects(read());
  yarn.double.nodes.probed = () => application.logs.set('apex.log', 'line\n'.repeat(90_000));
  await t.rejects(read(), 'shorter, in the middle of what is asked for');
  yarn.double.nodes.probed = () => {};
  t.equal((await read())?.length, 100_000);
});

t.test('after the end: the node, as long as it knows it; then what was handed in', async (t) => {
  const double = await yarnDouble();
  t.teardown(() => double.close());
  const shared = {
    resourceManager: double.managers[0]?.url ?? '',
    files: double.files.nameNode.url,
    limits,
  };
  const yarn = await yarnGateway(t, { ...shared, aggregatedLogs: double.yarnCommand() });
  const { application, params, tricky } = await withLogs({ ...yarn, double });
  const log = { ...params, logName: 'stdout' };
  await yarn.client.killApplication({ params: { appid: params.appid } });
  await untilState(yarn.client, params.appid, 'KILLED');
  t.match((await yarn.client.listLogs({ params })).logs[0], { rawUrl: /containerlogs/ }, 'still on the node');

  double.nodes.forgetEnded = true;
  const { logs } = await yarn.client.listLogs({ params });
  t.match(logs, [{ name: 'apex.log', length: 40 }, { name: 'stderr', length: 0 }, { name: 'stdout' }]);
  t.notOk(logs.some((one) => 'rawUrl' in one));
  t.equal(await text(await yarn.client.readLog({ params: log, query: {} })), tricky);
  t.match(
    await yarn.client.readLog({ params: log, query: { grep: 'xyz', includeOffset: true } }),
    { lines: [{ line: 'xyz' }] },
    'as any other log',
  );
  const none = { ...params, logName: 'no.log' };
  await t.rejects(yarn.client.readLog({ params: none, query: {} }), { status: 404, code: 'NOT_FOUND' });
  const empty = { ...params, logName: 'stderr' };
  t.equal(await text(await yarn.client.readLog({ params: empty, query: {} })), '');
  await double.nodeManager.stop();
  t.equal(await text(await yarn.client.readLog({ params: log, query: {} })), tricky, 'the node is gone');

  application.logs.set('stdout', 'x'.repeat(2000));
  for (const [fault, status, message] of [
    ['hang', 504, /did not answer in time/],
    ['kill', 502, /was killed/],
    ['garbage', 502, /ended with code 1/],
    [undefined, 400, /copiedLogBytes/],
  ] as const) {
    const command = double.yarnCommand(fault);
    const small = { ...limits, commandMillis: fault === 'hang' ? 3000 : 60_000, copiedLogBytes: 1000 };
    const other = await yarnGateway(t, { ...shared, aggregatedLogs: command, limits: small });
    await t.rejects(other.client.readLog({ params: log, query: {} }), { status, message } as never);
  }
  const missing = await yarnGateway(t, { ...shared, aggregatedLogs: { command: '/no/such/yarn' } });
  await t.rejects(missing.client.readLog({ params: log, query: {} }), {
    status: 502,
    message: /command yarn can't be reached/,
  } as never);
  const without = await yarnGateway(t, shared);
  await t.rejects(without.client.readLog({ params: log, query: {} }), { status: 502, code: 'UNREACHABLE' });
});
