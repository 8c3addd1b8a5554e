import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { start } from '../../helpers/processes.js';
import { snippetIn, snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';
import { until } from '../../helpers/waiting.js';
import { closeBrowser, enter, inWindow } from '../console/browser.js';
import { administrator } from '../console/running-server.js';
import { openShell } from '../yarn/shell.js';
import { flinkParts, withJar } from './artifacts.js';
import { startFlink } from './cluster.js';
import { cancelJob, runJar, untilJobRuns, uploadJar } from './jobs.js';

// docs/flink.md: its program over a real Flink, and its walk from a jar to a job that goes on, with the page's own files and commands; and
// the bundled server as the page starts it. Only addresses and places are those of this machine.

const snippets = snippetsOf(join(root, 'docs/flink.md'));
const snippet = (word: string, value?: string) => snippetIn(snippets, word, value);

const parts = await flinkParts('2.3.0');
const cluster = await startFlink(parts, {
  taskManagers: 1,
  slots: 6,
  options: { 'web.refresh-interval': '500' },
});
t.teardown(() => cluster.close());
t.teardown(closeBrowser);

t.test('the walk of the page', (t) =>
  withJar(parts, join(root, 'test/stages/flink/programs'), async (jar) => {
    const scratch = folderBesideBuilt(t, 'flink-page');
    writeFileSync(join(scratch, 'gateway.mjs'), snippet('file', 'gateway.mjs').text);
    cpSync(jar, join(scratch, 'job-1.0.jar'));
    const { text } = snippet('settings');
    const port = await ownPort();
    const env = { JOB_MANAGER: cluster.rest, PORT: String(port), ADMIN_PASSWORD: administrator.password };
    const names = [...text.matchAll(/^([A-Z_]+)=\S+ \\$/gm)].map(([, name]) => name);
    t.strictSame(names, Object.keys(env), 'the settings that the page names');
    const gateway = start(process.execPath, ['gateway.mjs'], { cwd: scratch, env });
    t.teardown(() => gateway.stop());
    await gateway.printed(/"Listening"/);

    const shell = openShell(scratch);
    t.teardown(() => shell.close());
    const left = new Set(snippets.flatMap(({ attributes }) => attributes['run'] ?? []));
    const run = (name: string) => {
      left.delete(name);
      return shell.run(snippet('run', name).text.replaceAll('localhost:9090', `127.0.0.1:${port}`));
    };
    await run('session');
    const uploaded = await run('upload');
    t.match(uploaded, '{"appPackageName":"job","appPackageVersion":"1.0"}');
    t.match(uploaded, /^Numbers$/m);
    t.match(
      await run('plan'),
      /^\{"name":"plus one -> nowhere: Writer","attributes":\{"parallelism":2\}\}$/m,
    );
    t.match(await run('launch'), /^RUNNING$/m);
    const expected = [
      /^\{"id":"100000","name":".+","status":"ACTIVE","totalTuplesEmitted":[1-9]/m,
      /^\{"id":".+","containerType":"APP_MASTER","state":"ACTIVE","memoryMBAllocated":\d+/m,
      /^\{"type":".+","timestamp":\d+\}$/m,
    ];
    const watched = await until(
      () => run('watch'),
      (told) => expected.every((line) => line.test(told)),
      1000,
    );
    t.match(watched, expected[0]);
    t.match(await run('savepoint'), /^true\nfile:.+\n\{"total":\d+/m);
    const stopped = await run('stop');
    t.match(
      stopped,
      /^\{"state":"FINISHED","finalStatus":"SUCCEEDED","diagnostics":"Stopped with the savepoint .+"\}$/m,
    );
    t.match(await run('restart'), /^RUNNING$/m);
    t.strictSame([...left], [], 'all of the page');
  }),
);

t.test('the bundled server shows a real job, live', (t) =>
  withJar(parts, join(root, 'test/stages/flink/programs'), async (jar) => {
    const jarId = await uploadJar(cluster.rest, jar);
    const job = await runJar(cluster.rest, jarId, { entryClass: 'Numbers', args: ['steady', '1'] });
    await untilJobRuns(cluster.rest, job);
    t.teardown(() => cancelJob(cluster.rest, job));
    const [, ...args] = /npm start -- (--flink) \S+/.exec(snippet('start').text) ?? [];
    const folder = folderBesideBuilt(t, 'flink-server');
    const server = start(
      process.execPath,
      [join(root, 'examples/server/server.js'), ...args, cluster.rest, '--port', '0', '--data', folder],
      { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: administrator.password } },
    );
    t.teardown(() => server.stop());
    const [, baseUrl = ''] = await server.printed(/Headgate listening on (\S+)/);
    await inWindow(t, { baseUrl }, async (page) => {
      await enter(page, baseUrl, 'apps');
      await page.getByRole('row', { name: /running.*steady/ }).waitFor();
      await page.getByRole('row', { name: /running.*steady.*[1-9]\d*\/s/ }).waitFor();
    });
  }),
);

t.test('the example: a product shows its jobs to those who may see them, and stops one', (t) =>
  withJar(parts, join(root, 'test/stages/flink/programs'), async (jar) => {
    const jarId = await uploadJar(cluster.rest, jar);
    const job = await runJar(cluster.rest, jarId, { entryClass: 'Numbers', args: ['steady', '1'] });
    await untilJobRuns(cluster.rest, job);
    const folder = folderBesideBuilt(t, 'flink-example');
    cpSync(join(root, 'examples/flink'), folder, { recursive: true });
    const env = { JOB_MANAGER: cluster.rest, PORT: '0' };
    const server = start(process.execPath, ['server.js'], { cwd: folder, env });
    t.teardown(() => server.stop());
    const [, baseUrl = ''] = await server.printed(/listening on (\S+)/);
    const people = [
      ['bob', 'builder'],
      ['ada', 'analytical'],
    ] as const;
    for (const [name, password] of people)
      await inWindow(t, { baseUrl, allowed: /^401 / }, async (page) => {
        await page.goto(baseUrl);
        const login = async (secret: string) => {
          await page.getByLabel('Name').fill(name);
          await page.getByLabel('Password').fill(secret);
          await page.getByRole('button', { name: 'Log in' }).click();
        };
        await login('wrong');
        await page.getByText('That is not right').waitFor();
        await login(password);
        const row = page.getByRole('row', { name: 'steady' });
        await row.getByText('RUNNING').waitFor();
        const stop = row.getByRole('button', { name: 'Stop with a savepoint' });
        t.equal(await stop.count(), name === 'ada' ? 1 : 0, name);
        if (name === 'bob') return;
        await page.getByRole('row', { name: /steady RUNNING [1-9]\d* (?:none|\d+ s ago)/ }).waitFor();
        await stop.click();
        await page.getByText(/^Stopped with the savepoint file:/).waitFor();
        await row.getByText('FINISHED').waitFor();
      });
  }),
);
