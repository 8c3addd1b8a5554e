import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { freePorts } from '../../helpers/ports.js';
import { type RunningProgram, start } from '../../helpers/processes.js';
import { snippetIn, snippetsOf } from '../../helpers/snippets.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from '../console/browser.js';
import { walk } from '../console/walk.js';
import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';
import { explainFailures } from './explain.js';
import { openShell } from './shell.js';

// docs/yarn.md: its program over the real cluster, and its walk from a package to an application that was stopped, with
// the page's own files and commands. Only addresses and places are those of this machine.

t.setTimeout(600_000);
const root = join(import.meta.dirname, '../../../..');
const page = join(root, 'docs/yarn.md');
const snippets = snippetsOf(page);
const snippet = (word: string, value?: string) => snippetIn(snippets, word, value);

const parts = await artifacts();
const cluster = await startYarn(parts);
t.teardown(() => cluster.close());
t.teardown(closeBrowser);
explainFailures(t, cluster);

// Below the root the package is known by its own name.
const scratch = mkdtempSync(join(root, 'build/yarn-page-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
for (const { attributes, text } of snippets) {
  const file = attributes['file'];
  if (file === undefined) continue;
  mkdirSync(dirname(join(scratch, file)), { recursive: true });
  writeFileSync(join(scratch, file), text);
}

const { gateway: port } = await freePorts(['gateway'] as const);
const settings: Readonly<Record<string, string>> = {
  RESOURCE_MANAGER: cluster.resourceManager,
  NAME_NODE: cluster.nameNode,
  GATEWAY_ADDRESS: `localhost:${port}`,
  CLUSTER_USER: 'root',
  APEX: cluster.apex,
  JAVA_HOME: parts.javaHome,
  HADOOP_CONF_DIR: cluster.conf,
  ADMIN_PASSWORD: 'correct-horse',
};
const shell = openShell(scratch);
t.teardown(() => shell.close());

const here = (text: string) => text.replaceAll('gateway.example.org:9090', `localhost:${port}`);
const left = new Set(snippets.flatMap(({ attributes }) => attributes['run'] ?? []));
const run = (name: string) => {
  left.delete(name);
  return shell.run(here(snippet('run', name).text));
};

let gateway: RunningProgram | undefined;
let live: RunningProgram | undefined;
t.teardown(() => gateway?.stop('SIGKILL'));
t.teardown(() => live?.stop('SIGKILL'));

t.test('the host starts with the settings that the page names', async (t) => {
  const { text } = snippet('settings');
  const names = [...text.matchAll(/^([A-Z_]+)=\S+ \\$/gm)].map(([, name = '']) => name);
  t.strictSame([...names].sort(), Object.keys(settings).sort());
  t.match(text, /^node gateway\.mjs$/m);
  gateway = start(process.execPath, ['gateway.mjs'], { cwd: scratch, env: settings });
  await gateway.printed(/"Listening"/);
});

t.test('the package is made, uploaded and launched', async (t) => {
  const mirror = join(scratch, 'mirror');
  const { text } = snippet('package');
  for (const [path = ''] of text.matchAll(/\borg\/\S+\.jar\b/g)) {
    const [jar = ''] = path.split('/').slice(-1);
    mkdirSync(dirname(join(mirror, path)), { recursive: true });
    symlinkSync(join(parts.packageJars, jar), join(mirror, path));
  }
  await shell.run(text.replace('https://repo.maven.apache.org/maven2', pathToFileURL(mirror).href));
  t.strictSame(readdirSync(join(scratch, 'lib')), readdirSync(parts.packageJars), 'all that it needs');

  await run('session');
  const uploaded = await run('upload');
  t.match(uploaded, '{"appPackageName":"numbers","appPackageVersion":"1.0.0"}');
  t.match(uploaded, '{"name":"Random","error":null}');
  t.match(await run('launch'), /^RUNNING$/m);
});

t.test('it is watched by asking, and live', async (t) => {
  const text = here(snippet('live').text);
  const app = (await shell.run('echo $app')).trim();
  live = start('bash', ['-c', `app=${app}; exec ${text}`], { cwd: scratch });
  await live.printed(/^RUNNING [1-9]\d*$/m);
  const expected = [
    /^\{"numOperators":2,"allocatedContainers":2,"tuplesEmittedPSMA":\d+,"currentWindowId":"7\d{18}"\}$/m,
    /^\{"id":"\d","name":"rand","status":"ACTIVE","totalTuplesEmitted":[1-9]\d*,"container":"container_/m,
    /^\{"type":"StartOperator","data":\{.*"operatorName":"console"/m,
  ];
  // Whoever asks in the first seconds may find an operator that has not said a word yet.
  const watched = await until(
    () => run('watch'),
    (told) => expected.every((line) => line.test(told)),
    1000,
  );
  t.match(watched, expected[0]);
});

t.test('the console shows it, and asks for nothing that the cluster does not have', async (t) => {
  const baseUrl = `http://127.0.0.1:${port}`;
  const app = (await shell.run('echo $app')).trim();
  // The engine has recorded no statistics yet, which a call alone can tell.
  const allowed = /^404 \S+\/stats(\/meta)?$/;
  await inWindow(t, { baseUrl, allowed }, async (page) => {
    await enter(page, baseUrl, 'apps');
    await page.getByRole('link', { name: 'Random' }).first().waitFor();
    const screens = await walk(t, page, { baseUrl, first: `apps/${app}`, within: `apps/${app}` });
    for (const screen of ['graph', 'operators/(one)', 'containers/(one)'])
      t.ok(screens.includes(`apps/(one)/${screen}`), screen);
    for (const link of ['cluster', 'packages', 'topics', 'alerts', ''])
      await walk(t, page, { baseUrl, first: link, within: 'nowhere' });
  });
});

t.test('a property is changed, once, and that is told live', async (t) => {
  const changed = await run('property');
  t.match(changed, '{"tuplesBlast":"50"}');
  t.match(changed, /\{"tuplesBlast":(5|50)\}/, 'it has it from its next window on');
  const [line] = (await live?.printed(/^SetOperatorProperty .*$/m)) ?? [''];
  t.match(JSON.parse(line.slice(line.indexOf('{'))), {
    operatorName: 'rand',
    propertyName: 'tuplesBlast',
    propertyValue: '50',
  });
});

t.test('the plan is changed', async (t) => {
  t.match(await run('plan'), /^\{\}/);
  await live?.printed(/^StartOperator .*"operatorName":"texts"/m);
  t.match(await run('watch'), /^\{"id":"\d","name":"texts","status":"ACTIVE"/m);
});

t.test('tuples are recorded and read', async (t) => {
  t.match(await run('record'), /^\{"windowId":"7\d{18}","tuples":\[\{"portId":"\d","data":"\d+"\}/m);
});

t.test('logs are read', async (t) => {
  const read = await run('logs');
  for (const name of ['apex.log', 'stderr', 'stdout']) t.match(read, `{"name":"${name}","length":`);
  t.match(read, /^\d{4}-\d\d-\d\d .*Deploy request/m);
});

t.test('it is stopped, and what it left is read', async (t) => {
  const stopped = await run('stop');
  t.match(stopped, /^\{"state":"FINISHED","finalStatus":"SUCCEEDED","diagnostics":""\}$/m);
  await live?.printed(/^FINISHED/m);
  t.notMatch(live?.output(), /NOT_FOUND|FORBIDDEN/, 'nothing was refused');
  t.strictSame([...left], [], 'all of the walk was gone');
});

t.test('the host took the memory that the page says, and ends in order', async (t) => {
  const [, told] = /about (\d+) MB with a few applications/.exec(readFileSync(page, 'utf8')) ?? [];
  const status = readFileSync(`/proc/${gateway?.pid}/status`, 'utf8');
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  t.ok(Number(peak) / 1024 < 1.5 * Number(told), `${peak} kB`);
  t.equal(await gateway?.stop('SIGTERM'), 0);
});
