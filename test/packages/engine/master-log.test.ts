import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import type { Client } from '../../../lib/client.js';
import { createMasterLog } from '../../../packages/engine/history/master-log.js';
import { engineGateway, untilItRuns, untilState, words } from '../../helpers/applications.js';
import { testFolder } from '../../helpers/folder.js';
import { as } from '../../helpers/people.js';
import { until } from '../../helpers/waiting.js';

// The application master's own log: what the engine decided about an application.

const directory = testFolder(t);
const { gateway, newClient } = await engineGateway(t, { directory });
const client = newClient(as('ada', 'developer'));

async function masterOf(client: Client, appid: string): Promise<string> {
  const { containers } = await client.listContainers({ params: { appid }, query: { types: 'appmaster' } });
  return containers[0]?.id ?? '';
}

async function textOf(client: Client, appid: string): Promise<string> {
  const params = { appid, containerId: await masterOf(client, appid), logName: 'headgate.log' };
  const answer = await client.readLog({ params });
  if (!(answer instanceof Response)) throw new Error('text was expected');
  return answer.text();
}

t.test('it tells the story of an application, while it runs and after its end', async (t) => {
  const appid = await gateway.launch(words('story'));
  const params = { appid };
  await untilItRuns(client, appid);
  const containerId = await masterOf(client, appid);
  const { logs } = await client.listLogs({ params: { ...params, containerId } });
  t.match(logs, [{ name: 'headgate.log', length: Number }]);
  const path = join(directory, 'apps', appid, 'containers', containerId, 'headgate.log');

  const [, first] = (await client.listContainers({ params })).containers;
  await client.killContainer({ params: { ...params, containerId: first?.id ?? '' } });
  await until(
    () => textOf(client, appid),
    (text) => text.includes(`Container ${first?.id} ended`),
  );
  await client.setOperatorProperties({
    params: { ...params, opName: 'source' },
    body: { tuplesPerSecond: 123_457 },
  });
  await untilItRuns(client, appid);
  await client.shutdownApplication({ params });
  await untilState(client, appid, 'FINISHED');
  const files = readdirSync(join(directory, 'apps'), { recursive: true, encoding: 'utf8' });
  t.ok(files.includes(relative(join(directory, 'apps'), path)));
  t.strictSame(
    files.filter((file) => statSync(join(directory, 'apps', file)).mode & 0o077),
    [],
    'nobody else on the machine reads what an application writes',
  );

  const text = await textOf(client, appid);
  const at = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} \[main\] (INFO|WARN|ERROR) +headgate\.engine\.Master - /;
  const lines = text.trimEnd().split('\n');
  t.strictSame(
    lines.filter((line) => !at.test(line)),
    [],
  );
  const story = [
    '"story" was launched by ada: 3 operators in ',
    'Operator source (1) is in the plan',
    `Container ${first?.id} started on `,
    `runs in ${first?.id}`,
    `Container ${first?.id} ended, exit status SIGKILL: `,
    'Operator source: property tuplesPerSecond was set',
    'Shutdown was asked for',
    'The application is FINISHED.',
  ];
  const places = story.map((part) => lines.findIndex((line) => line.includes(part)));
  t.notOk(places.includes(-1), JSON.stringify([places, text]));
  t.strictSame(
    places,
    [...places].sort((one, other) => one - other),
    'in the order in which it happened',
  );
  t.equal(places.at(-1), lines.length - 1);
  t.notMatch(text, '123457', 'values of properties are not told');

  const found = await client.readLog({
    params: { ...params, containerId, logName: 'headgate.log' },
    query: { grep: 'Shutdown', includeOffset: true },
  });
  t.match(JSON.stringify(found), /Shutdown was asked for/, 'searched like other logs');
});

t.test('a disk that fails ends nothing, and what is lost is counted', async (t) => {
  const root = testFolder(t, { folder: {} });
  const path = join(root, 'folder', 'log');
  const problems: unknown[] = [];
  const log = createMasterLog(path, {
    logFileBytes: 10_000,
    logFiles: 2,
    onProblem: (error) => problems.push(error),
  });
  rmSync(join(root, 'folder'), { recursive: true });
  writeFileSync(join(root, 'folder'), 'in the way');
  for (let i = 0; i < 3; i++) {
    log.write(1, 'INFO', 'lost');
    await log.settled();
  }
  t.equal(problems.length, 1, 'told once');
  rmSync(join(root, 'folder'));
  log.write(1, 'INFO', 'kept');
  await log.settled();
  t.match(readFileSync(path, 'utf8'), / 3 lines could not be written\n1970-.* - kept\n$/);
  await log.end();
  log.write(1, 'INFO', 'too late');
  await log.settled();
  t.notMatch(readFileSync(path, 'utf8'), 'too late');
});

t.test('it is rotated and bounded, on the disk and in what waits for it', async (t) => {
  const root = testFolder(t);
  const path = join(root, 'log');
  const log = createMasterLog(path, {
    logFileBytes: 1000,
    logFiles: 3,
    onProblem: (error) => t.fail(String(error)),
  });
  for (let i = 0; i < 60; i++) {
    log.write(1, 'INFO', `number ${i}`);
    await log.settled();
  }
  t.strictSame(readdirSync(root).sort(), ['log', 'log.1', 'log.2']);
  for (const name of readdirSync(root)) t.ok(statSync(join(root, name)).size <= 1000, name);
  t.match(readFileSync(path, 'utf8'), /number 59\n$/);

  const long = 'x'.repeat(30_000);
  for (let i = 0; i < 100; i++) log.write(1, 'INFO', long);
  await log.settled();
  log.write(1, 'INFO', 'afterwards');
  await log.settled();
  const text = ['log.2', 'log.1', 'log'].map((name) => readFileSync(join(root, name), 'utf8')).join('');
  const [, count = ''] = / (\d+) lines could not be written\n/.exec(text) ?? [];
  t.ok(Number(count) > 50, 'the rest is counted');
  t.ok(text.endsWith('afterwards\n'));
  t.ok(text.length < 2 * 1024 ** 2);
});

t.test('it is written through no link', async (t) => {
  const root = testFolder(t, { other: 'its own' });
  symlinkSync(join(root, 'other'), join(root, 'log'));
  const problems: unknown[] = [];
  const log = createMasterLog(join(root, 'log'), {
    logFileBytes: 1000,
    logFiles: 1,
    onProblem: (error) => problems.push(error),
  });
  log.write(1, 'INFO', 'a line');
  await log.settled();
  t.match(problems, [{ code: 'ELOOP' }]);
  t.equal(readFileSync(join(root, 'other'), 'utf8'), 'its own');
});
