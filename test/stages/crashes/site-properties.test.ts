import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';

const worker = fileURLToPath(new URL('./site-properties/worker.js', import.meta.url));
const kills = 8;

/** Resolves the last change that was acknowledged before the kill. */
async function workAndKill(directory: string, from: number): Promise<number> {
  const child = spawn('env', ['-i', process.execPath, worker, directory, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const ended = once(lines, 'close');
  let last = from;
  let left = Math.floor(Math.random() * 10);
  const met = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      last = Number(line);
      if (left-- === 0) resolve();
    });
  });
  await Promise.race([met, exited]);
  // At any instruction of the next change.
  await wait(Math.random() * 20);
  child.kill('SIGKILL');
  const [, signal] = await exited;
  await ended;
  if (signal !== 'SIGKILL') throw new Error('the worker ended by itself');
  return last;
}

t.test('kill -9 at any moment: what was acknowledged is there, and no change by half', async (t) => {
  const comment = '<!-- theirs -->';
  const directory = testFolder(t, {
    'platform-site.xml': `<configuration>\n${comment}\n</configuration>\n`,
  });
  let acknowledged = 0;
  for (let i = 0; i < kills; i++) {
    acknowledged = await workAndKill(directory, acknowledged);
    const closing: (() => Promise<void>)[] = [];
    const { client } = await newGateway(
      { teardown: (close) => closing.push(close) },
      { site: { directory } },
    );
    const { shared, own } = await client.listProperties();
    const found = Number(shared?.value ?? 0);
    t.equal(Number(own?.value ?? 0), found, 'both or none');
    t.ok(
      found === acknowledged || found === acknowledged + 1,
      `${acknowledged} was acknowledged, ${found} is there`,
    );
    acknowledged = found;
    for (const close of closing) await close();
  }
  t.match(await readFile(join(directory, 'platform-site.xml'), 'utf8'), comment);
  t.notOk((await readdir(directory)).includes('.platform-site.pending'));
});
