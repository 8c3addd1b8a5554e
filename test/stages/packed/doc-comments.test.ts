import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { folderBesideBuilt } from '../../helpers/folder.js';
import { ownPort } from '../../helpers/ports.js';
import { run, start } from '../../helpers/processes.js';
import { root, sourcesIn } from '../../helpers/sources.js';

// Programs in comments of the sources, which editors show: they run as they stand, with the package as it is built.

const scratch = folderBesideBuilt(t, 'comments');

const fence = /^ \* ```js\n([\s\S]*?)^ \* ```$/gm;
const programs = sourcesIn(['lib', 'adapters', 'packages']).flatMap((file) => {
  const texts = [...readFileSync(join(root, file), 'utf8').matchAll(fence)];
  return texts.map(([, text = '']) => ({ file, text: text.replace(/^ \* ?/gm, '') }));
});
const hosts = programs.filter(({ text }) => text.includes('listen('));
const others = programs.filter(({ text }) => !text.includes('listen('));

function written(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Asks until the server listens. */
async function text(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return answer.text();
  }
}

t.equal(hosts.length, 5);
t.equal(others.length, 1);

for (const { file, text: host } of hosts) {
  t.test(`${file}: a whole host, and the client asks it`, async (t) => {
    const port = String(await ownPort());
    const cwd = mkdtempSync(join(scratch, 'host-'));
    const program = start(process.execPath, [written(cwd, 'host.mjs', host.replace('9090', port))], { cwd });
    t.teardown(() => program.stop('SIGKILL'));
    const answers = Promise.race([
      text(`http://127.0.0.1:${port}/`),
      program.exited.then((code) => Promise.reject(new Error(`It ended with ${code}: ${program.output()}`))),
    ]);
    t.match(await answers, /Nothing here|still there/);
    const [, page] = /9090(\/streams\/console\/)/.exec(host) ?? [];
    if (page !== undefined) t.match(await text(`http://127.0.0.1:${port}${page}`), /Acme Streams/);
    for (const { text: client } of others) {
      const path = written(cwd, 'client.mjs', client.replace('9090', `${port}/streams`));
      t.match(await run(process.execPath, [path], { cwd }), /status: 'ok'/);
    }
  });
}
