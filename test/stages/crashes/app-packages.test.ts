import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { mapLimited } from '../../../lib/runtime/map-limited.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { testFolder } from '../../helpers/folder.js';
import { newGateway } from '../../helpers/gateway.js';
import { as, people } from '../../helpers/people.js';
import { type Held, heldAfter, lanes, nameOf } from './app-packages/script.js';

const kills = 24;
/** Directories at a time; the start of a child is what costs. */
const runs = 3;
const program = (name: string) => fileURLToPath(new URL(`./app-packages/${name}.js`, import.meta.url));

/** `env -i` keeps the test runner's hooks out of the child: they double the time of its start. */
const started = (name: string, ...args: readonly string[]) =>
  spawn('env', ['-i', process.execPath, program(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

/** Starts the worker and kills it at a random moment. Resolves the last step that each lane acknowledged. */
async function workAndKill(directory: string, from: readonly number[]): Promise<number[]> {
  const child = started('worker', directory, JSON.stringify(from));
  const exited = once(child, 'exit');
  const acknowledged = [...from];
  const lines = createInterface(child.stdout);
  let left = Math.floor(Math.random() * 8);
  const met = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const [lane = '', step, end] = line.split(' ');
      if (end === undefined) return;
      if (lane !== 'ready') acknowledged[Number(lane)] = Number(step);
      if (left-- === 0) resolve();
    });
  });
  // In the middle of a step, whatever its number: the other lanes are somewhere else.
  await Promise.race([met, exited]);
  await wait(Math.random() * 30);
  const ended = once(lines, 'close');
  child.kill('SIGKILL');
  const [, signal] = await exited;
  await ended;
  if (signal !== 'SIGKILL') throw new Error('the worker ended by itself');
  return acknowledged;
}

/** Names everything that is not as it must be, and tells how far each lane really got. */
async function judge(directory: string, acknowledged: readonly number[], count = lanes) {
  const closing: (() => Promise<void>)[] = [];
  const storage = await filesystemStorage({ directory });
  let orphans = 0;
  for await (const _ of storage.blobs.list('app-packages/')) orphans++;
  for await (const _ of storage.documents.entries('app-packages')) orphans--;
  const { newClient } = await newGateway(
    { teardown: (close) => closing.push(close) },
    { storage, auth: people },
  );
  const client = newClient(as('ada', 'developer'));
  const wrong: string[] = storage.problems().map(({ message }) => message);
  const found: number[] = [];
  for (let lane = 0; lane < count; lane++) {
    const least = acknowledged[lane] ?? 0;
    const held = await heldBy(client, nameOf(lane), wrong);
    const step = [least, least + 1].find((step) => JSON.stringify(heldAfter(step)) === JSON.stringify(held));
    if (step === undefined) wrong.push(`lane ${lane} after step ${least}: ${JSON.stringify(held)}`);
    found.push(step ?? least);
  }
  const { appPackages } = await client.listPackages();
  const blobs = await readdir(join(directory, 'blobs'));
  const staged = await readdir(join(directory, 'staging'));
  if (blobs.length !== appPackages.length)
    wrong.push(`${blobs.length} files, ${appPackages.length} packages`);
  if (staged.length > 0) wrong.push(`${staged.length} staged files`);
  let contents = 0;
  for await (const _ of storage.documents.entries('app-package-contents')) contents++;
  if (contents !== appPackages.length) wrong.push(`${contents} contents, ${appPackages.length} packages`);
  for (const close of closing) await close();
  return { wrong, found, orphans };
}

async function heldBy(
  client: ReturnType<Awaited<ReturnType<typeof newGateway>>['newClient']>,
  name: string,
  wrong: string[],
): Promise<Held | undefined> {
  const params = { owner: 'ada', name, version: '1' };
  const meta = await client.getPackage({ params }).catch((error) => {
    if (error.status === 404) return undefined;
    throw error;
  });
  if (!meta) return undefined;
  const download = await client.downloadPackage({ params });
  const digest = createHash('sha256')
    .update(Buffer.from(await download.arrayBuffer()))
    .digest('hex');
  if (download.headers.get('etag') !== `"${digest}"`)
    wrong.push(`${name}: the digest is not that of the bytes`);
  const file = await client.getPackageConfig({ params: { ...params, configName: 'step.xml' } });
  const [, step] = /<value>(\d+)</.exec(await file.text()) ?? [];
  return { step: Number(step), configs: meta.configs };
}

t.test('before each call that changes the storage', async (t) => {
  const root = testFolder(t);
  const steps = [1, 2, 3, 4, 5, 6];
  const counts = await mapLimited(steps, runs, async (step) => {
    for (let call = 1; ; call++) {
      const directory = join(root, `${step}-${call}`);
      const [code, signal] = await once(started('killed-at', directory, String(step), String(call)), 'exit');
      const isDone = code === 0;
      if (!isDone && signal !== 'SIGKILL') throw new Error(`step ${step} failed by itself`);
      const { wrong } = await judge(directory, [isDone ? step : step - 1], 1);
      t.strictSame(wrong, [], `step ${step}, call ${call}`);
      if (isDone) return call - 1;
    }
  });
  t.comment(`calls by step: ${counts}`);
  t.ok(counts.every((count) => count >= 2));
});

t.test(
  `${kills} kills: each package is the one before or the one after, and no file is left over`,
  async (t) => {
    const totals = { kills: 0, steps: 0, unacknowledged: 0, orphans: 0 };

    async function run(directory: string): Promise<void> {
      let steps = Array.from({ length: lanes }, () => 0);
      while (totals.kills < kills) {
        totals.kills++;
        const acknowledged = await workAndKill(directory, steps);
        const { wrong, found, orphans } = await judge(directory, acknowledged);
        if (wrong.length > 0) return void t.strictSame(wrong, [], `after kill ${totals.kills}`);
        for (const [lane, step] of found.entries()) {
          totals.steps += step - (steps[lane] ?? 0);
          if (step > (acknowledged[lane] ?? 0)) totals.unacknowledged++;
        }
        totals.orphans += orphans;
        steps = found;
      }
    }

    const root = testFolder(t);
    await Promise.all(Array.from({ length: runs }, (_, i) => run(join(root, `run${i}`))));
    t.comment(JSON.stringify(totals));
    t.ok(totals.kills >= kills);
    t.ok(totals.steps > kills, 'there was something to lose');
    t.ok(totals.orphans > 0, 'there was something to sweep');
  },
);
