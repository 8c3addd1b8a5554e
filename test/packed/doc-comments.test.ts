import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { listening } from '../helpers/listening.js';
import { run, start } from '../helpers/processes.js';

// Programs in comments of the sources, which editors show: they run as they stand, with the package as it is built.

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-comments-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));

const fence = /^ \* ```js\n([\s\S]*?)^ \* ```$/gm;
const programs = ['lib', 'adapters', 'contracts'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const file = join(folder, name);
      const texts = [...readFileSync(join(root, file), 'utf8').matchAll(fence)];
      return texts.map(([, text = '']) => ({ file, text: text.replace(/^ \* ?/gm, '') }));
    }),
);
const hosts = programs.filter(({ text }) => text.includes('listen('));
const others = programs.filter(({ text }) => !text.includes('listen('));

async function freePort(): Promise<string> {
  const { baseUrl, close } = await listening(createServer());
  await close();
  return new URL(baseUrl).port;
}

/** By its own name the package is known below its root. */
function written(t: Test, who: string, text: string): string {
  const path = join(root, `examples/snippet-comment-${who}.mjs`);
  writeFileSync(path, text);
  t.teardown(() => rmSync(path));
  return path;
}

/** Asks until the server listens. */
async function text(url: string): Promise<string> {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return answer.text();
  }
}

t.equal(hosts.length, 4);
t.equal(others.length, 1);

for (const { file, text: host } of hosts) {
  t.test(`${file}: a whole host, and the client asks it`, async (t) => {
    const port = await freePort();
    const cwd = mkdtempSync(join(scratch, 'host-'));
    const program = start(process.execPath, [written(t, 'host', host.replace('9090', port))], { cwd });
    t.teardown(() => program.stop('SIGKILL'));
    const answers = Promise.race([
      text(`http://127.0.0.1:${port}/`),
      program.exited.then((code) => Promise.reject(new Error(`It ended with ${code}: ${program.output()}`))),
    ]);
    t.match(await answers, /Nothing here|still there/);
    for (const { text: client } of others) {
      const path = written(t, 'client', client.replace('9090', `${port}/console`));
      t.match(await run(process.execPath, [path], { cwd }), /status: 'ok'/);
    }
  });
}
