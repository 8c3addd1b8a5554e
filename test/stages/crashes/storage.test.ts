import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Storage } from '../../../lib/interfaces/storage.js';
import { bytesOf, collected } from '../../../packages/contracts/storage-samples.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { testFolder } from '../../helpers/folder.js';
import { blobLanes, blobStep, documentLanes, documentStep, keysAfter } from './storage/script.js';

const kills = 200;
/** Directories at a time; the start of a child is what costs. */
const runs = 4;
const writer = fileURLToPath(new URL('./storage/writer.js', import.meta.url));

/** Steps that each lane is known to have done. */
type Steps = Map<string, number>;

interface Killed {
  readonly acknowledged: Steps;
  readonly ready: boolean;
}

/**
 * Starts the writer and kills it at a random moment: mostly while it writes, some steps after the first, however long the
 * disk takes for them; now and then while it opens.
 */
async function writeAndKill(directory: string, from: Steps): Promise<Killed> {
  // `env -i` keeps the test runner's hooks out of the child: they double the time of its start.
  const steps = JSON.stringify(Object.fromEntries(from));
  const child = spawn('env', ['-i', process.execPath, writer, directory, steps], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const acknowledged: Steps = new Map(from);
  let ready = false;
  const whileOpening = Math.random() < 0.1;
  let stepsToWait = 1 + Math.floor(Math.random() * 4);
  const lines = createInterface(child.stdout);
  const underWay = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      const [lane = '', step, end] = line.split(' ');
      if (end === undefined) return;
      if (lane === 'ready') ready = true;
      else {
        acknowledged.set(lane, Number(step));
        if (--stepsToWait === 0) resolve();
      }
    });
  });
  if (whileOpening) await wait(Math.random() * 150);
  else {
    await Promise.race([underWay, exited]);
    await wait(Math.random() * 20);
  }
  const ended = once(lines, 'close');
  child.kill('SIGKILL');
  const [, signal] = await exited;
  await ended;
  if (signal !== 'SIGKILL') throw new Error('the writer ended by itself');
  return { acknowledged, ready };
}

/** Names everything that is not as it must be, and tells how far each lane really got. */
async function judge(storage: Storage, directory: string, acknowledged: Steps) {
  const wrong: string[] = storage.problems().map(({ message }) => message);
  const found: Steps = new Map();

  for (let lane = 0; lane < documentLanes; lane++) {
    const least = acknowledged.get(`d${lane}`) ?? 0;
    const documents = await collected(storage.documents.entries(`lane${lane}`));
    const head = documents.find(([key]) => key === 'head')?.[1].value;
    const n = head instanceof Object && 'n' in head && typeof head.n === 'number' ? head.n : 0;
    if (n !== least && n !== least + 1) wrong.push(`lane ${lane} is at step ${n}, acknowledged was ${least}`);
    const expected = new Map(
      documentStep(lane, n).flatMap((write) => (write.op === 'put' ? [[write.key, write.value]] : [])),
    );
    const same =
      JSON.stringify(documents.map(([key]) => key)) === JSON.stringify(keysAfter(n)) &&
      documents.every(
        ([key, { value }]) =>
          !expected.has(key) || JSON.stringify(expected.get(key)) === JSON.stringify(value),
      );
    if (!same) wrong.push(`lane ${lane} has half a batch at step ${n}: ${documents.map(([key]) => key)}`);
    found.set(`d${lane}`, n);
  }

  const keys = await collected(storage.blobs.list());
  for (let lane = 0; lane < blobLanes; lane++) {
    const least = acknowledged.get(`b${lane}`) ?? 0;
    const key = `blob/${lane}`;
    let content: Buffer | undefined;
    if (keys.includes(key)) {
      const blob = await storage.blobs.open(key);
      content = await bytesOf(blob.stream());
      await blob.close();
    }
    const n = [least, least + 1].find((step) => {
      const expected = blobStep(lane, step);
      return expected ? content?.equals(expected) : content === undefined;
    });
    if (n === undefined)
      wrong.push(`${key} with ${content?.length} bytes is not of step ${least} or the next`);
    found.set(`b${lane}`, n ?? least);
  }

  const files = await readdir(join(directory, 'blobs'));
  const staged = await readdir(join(directory, 'staging'));
  if (files.length !== keys.length) wrong.push(`${files.length} files for ${keys.length} blobs`);
  if (staged.length > 0) wrong.push(`${staged.length} staged files were not swept`);
  return { wrong, found };
}

t.test(
  `${kills} kills: what was acknowledged is there, nothing is half, nothing is left over`,
  { timeout: 290_000 },
  async (t) => {
    const totals = { kills: 0, whileWriting: 0, steps: 0, unacknowledged: 0 };

    async function run(directory: string): Promise<void> {
      let steps: Steps = new Map();
      while (totals.kills < kills) {
        totals.kills++;
        const { acknowledged, ready } = await writeAndKill(directory, steps);
        const storage = await filesystemStorage({ directory });
        const { wrong, found } = await judge(storage, directory, acknowledged);
        await storage.close();
        if (wrong.length > 0) return void t.strictSame(wrong, [], `after kill ${totals.kills}`);
        if (ready) totals.whileWriting++;
        for (const [lane, step] of found) {
          totals.steps += step - (steps.get(lane) ?? 0);
          if (step > (acknowledged.get(lane) ?? 0)) totals.unacknowledged++;
        }
        steps = found;
      }
    }

    const root = testFolder(t);
    await Promise.all(Array.from({ length: runs }, (_, i) => run(join(root, `run${i}`))));
    t.comment(JSON.stringify(totals));
    t.ok(totals.kills >= kills);
    t.ok(totals.whileWriting > kills / 2, 'most kills met a writing child');
    t.ok(totals.steps > kills, 'there was something to lose');
  },
);
