import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClassicLevel } from 'classic-level';
import type { Storage } from '../lib/interfaces/storage.js';
import { filesystemStorage } from '../packages/level/index.js';
import { documentRecord, sealed, unsealed } from '../packages/level/records.js';
import { median, report } from './report.js';

// node build/bench/storage.js [directory on the disk to measure]
//
// Durable writes of 200 B, next to bare classic-level and to the disk's own append + fdatasync, all in turn, several
// rounds; the ratios are medians over the rounds. Beside bare classic-level also one that keeps the same as Headgate, which is the
// least that an etag and a checksum of each document take. Then 100,000 settings of 1,000 users, and kill -9 while writing.

// Many short turns: the disk's mood changes by the second.
const rounds = 25;
const turnMs = 200;
/** As hard to compress as hexadecimal text, so that compression does not decide. */
const texts = Array.from({ length: 1000 }, () => randomBytes(95).toString('hex'));
const textOf = (i: number) => texts[i % texts.length] ?? '';
const keyOf = (i: number) =>
  `user${String(i % 1000).padStart(4, '0')}/setting${String(Math.floor(i / 1000) % 100)}`;

/** Writes a second by that many writers, each one after the other. */
async function rate(writers: number, write: (i: number) => Promise<unknown>): Promise<number> {
  let count = 0;
  const began = performance.now();
  const end = began + turnMs;
  const work = async () => {
    while (performance.now() < end) await write(count++ * 7919);
  };
  await Promise.all(Array.from({ length: writers }, work));
  return (count * 1000) / (performance.now() - began);
}

function diskRate(path: string): number {
  const file = openSync(path, 'a');
  const record = Buffer.from(`${keyOf(1)} ${textOf(1)}\n`);
  let count = 0;
  const began = performance.now();
  for (; performance.now() < began + turnMs; count++) {
    writeSync(file, record);
    fdatasyncSync(file);
  }
  const elapsed = performance.now() - began;
  closeSync(file);
  return (count * 1000) / elapsed;
}

/** So that nobody always comes after the same one. */
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

const putSetting = (storage: Storage, i: number) =>
  storage.documents.write([{ op: 'put', collection: 'settings', key: keyOf(i), value: { v: textOf(i) } }]);

/** What Headgate keeps of a setting, made with nothing around it. */
function sealedSetting(i: number) {
  const key = documentRecord('settings', keyOf(i));
  return { key, value: sealed(key, `AbCdEfGh.${i.toString(36)} ${JSON.stringify({ v: textOf(i) })}`) };
}

async function durableWrites(root: string): Promise<boolean> {
  const bare = new ClassicLevel<string, string>(join(root, 'bare'));
  await bare.open();
  const storage = await filesystemStorage({ directory: join(root, 'headgate') });
  const putBare = (i: number) => bare.put(keyOf(i), JSON.stringify({ v: textOf(i) }), { sync: true });
  const putSealed = (i: number) => {
    const { key, value } = sealedSetting(i);
    return bare.put(key, value, { sync: true });
  };
  const subjects = {
    disk: async () => diskRate(join(root, 'log')),
    bare1: () => rate(1, putBare),
    sealed1: () => rate(1, putSealed),
    ours1: () => rate(1, (i) => putSetting(storage, i)),
    bare32: () => rate(32, putBare),
    ours32: () => rate(32, (i) => putSetting(storage, i)),
  };
  const results: Record<keyof typeof subjects, number>[] = [];
  for (let round = -1; round < rounds; round++) {
    const result = { disk: 0, bare1: 0, sealed1: 0, ours1: 0, bare32: 0, ours32: 0 };
    for (const name of shuffled(['disk', 'bare1', 'sealed1', 'ours1', 'bare32', 'ours32'] as const)) {
      result[name] = await subjects[name]();
    }
    // The first round warms up.
    if (round >= 0) results.push(result);
  }
  await bare.close();
  await storage.close();
  const of = (value: (r: (typeof results)[number]) => number) => median(results.map(value));
  return report('durable writes of 200 B', [
    { what: 'disk: append + fdatasync', figure: of((r) => r.disk), unit: '/s' },
    { what: 'bare classic-level, 1 writer', figure: of((r) => r.bare1), unit: '/s' },
    { what: 'Headgate, 1 writer', figure: of((r) => r.ours1), unit: '/s' },
    { what: 'bare classic-level, 32 writers', figure: of((r) => r.bare32), unit: '/s' },
    { what: 'Headgate, 32 writers', figure: of((r) => r.ours32), unit: '/s' },
    {
      what: '1 writer: Headgate / bare',
      figure: of((r) => r.ours1 / r.bare1),
      peer: 'bare classic-level',
      goal: { atLeast: 0.97 },
    },
    { what: '1 writer: bare with etag and checksum / bare', figure: of((r) => r.sealed1 / r.bare1) },
    {
      what: '32 writers: Headgate / disk',
      figure: of((r) => r.ours32 / r.disk),
      peer: 'the disk',
      goal: { atLeast: 4 },
    },
    {
      what: '32 writers: Headgate / bare',
      figure: of((r) => r.ours32 / r.bare32),
      peer: 'bare classic-level',
    },
    { what: '1 writer: bare / disk', figure: of((r) => r.bare1 / r.disk) },
    {
      what: '21: 1 writer: Headgate / disk',
      figure: of((r) => r.ours1 / r.disk),
      peer: 'the disk',
      goal: { atLeast: 0.7 },
    },
    {
      what: '21: 32 writers: Headgate / disk',
      figure: of((r) => r.ours32 / r.disk),
      peer: 'the disk',
      goal: { atLeast: 5 },
    },
  ]);
}

/** Each has 100 settings. */
const users = 1000;

const bareBeside = (directory: string) => `${directory}-bare`;

async function manySettings(root: string): Promise<boolean> {
  const directory = join(root, 'many');
  const filling = await filesystemStorage({ directory });
  for (let user = 0; user < users; user++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, setting) => putSetting(filling, setting * 1000 + user)),
    );
  }
  await filling.close();
  const bare = new ClassicLevel<string, string>(bareBeside(directory));
  await bare.open();
  await bare.batch(
    Array.from({ length: 100_000 }, (_, i) => ({
      type: 'put',
      key: keyOf(i),
      value: JSON.stringify({ v: textOf(i) }),
    })),
  );
  await bare.batch(
    Array.from({ length: 100_000 }, (_, i) => ({ type: 'put' as const, ...sealedSetting(i) })),
  );
  await bare.close();

  const child = fork(fileURLToPath(import.meta.url), ['--read', directory]);
  const [told] = await once(child, 'message');
  const { openMs, list, bareList, sealedList, perBare, perSealed, getsPerSecond, memoryMB } = told;
  return report('22: 100,000 settings', [
    { what: 'reopen', figure: openMs, unit: 'ms', goal: { atMost: 700 } },
    { what: 'memory over base, all read once', figure: memoryMB, unit: 'MB', goal: { atMost: 110 } },
    { what: "one user's list of 100", figure: list, unit: 'ms', goal: { atMost: 0.1 } },
    { what: 'the same from bare classic-level, JSON.parse included', figure: bareList, unit: 'ms' },
    { what: 'the same with etag and checksum of each', figure: sealedList, unit: 'ms' },
    {
      what: "one user's list: Headgate / bare classic-level",
      figure: perBare,
      peer: 'bare classic-level',
      goal: { atMost: 1.2 },
    },
    {
      what: "one user's list: Headgate / bare with etag and checksum of each",
      figure: perSealed,
      peer: 'bare, with etag and checksum',
    },
    { what: 'gets, one at a time', figure: getsPerSecond, unit: '/s' },
  ]);
}

/** In a process of its own, so that nothing else is in its memory. */
async function readSettings(directory: string): Promise<void> {
  const base = process.memoryUsage().rss;
  const began = performance.now();
  const storage = await filesystemStorage({ directory });
  const openMs = performance.now() - began;

  const prefixOf = (user: number) => keyOf(user).replace(/[^/]*$/, '');
  const list = async (user: number) => {
    const found = [];
    const prefix = prefixOf(user);
    for await (const entry of storage.documents.entries('settings', { prefix })) found.push(entry);
    return found;
  };
  for (let user = 0; user < users; user++) await list(user);
  const memoryMB = (process.memoryUsage().rss - base) / 1e6;

  const bare = new ClassicLevel<string, string>(bareBeside(directory));
  await bare.open();
  const bareList = async (user: number) => {
    const prefix = prefixOf(user);
    const found = await bare.iterator({ gte: prefix, lt: `${prefix}\xff` }).all();
    return found.map(([key, text]) => [key, JSON.parse(text)]);
  };
  const sealedList = async (user: number) => {
    const prefix = documentRecord('settings', prefixOf(user));
    const found = await bare
      .iterator({ gte: prefix, lt: `${prefix}\xff`, highWaterMarkBytes: 256 * 1024 })
      .all();
    return found.map(([key, text]) => {
      const body = unsealed(key, text) ?? '';
      const space = body.indexOf(' ');
      return [key, body.slice(0, space), JSON.parse(body.slice(space + 1))];
    });
  };
  const lists = { ours: list, bare: bareList, sealed: sealedList };
  const names = ['ours', 'bare', 'sealed'] as const;
  for (const name of names) for (let user = 0; user < users; user++) await lists[name](user);
  const times: Record<(typeof names)[number], number>[] = [];
  // In turn, each first as often as the others: what a processor does in a moment changes.
  for (let user = 0; user < users; user++) {
    const time = { ours: 0, bare: 0, sealed: 0 };
    const from = user % names.length;
    for (const name of [...names.slice(from), ...names.slice(0, from)])
      time[name] = await timeOf(() => lists[name](user));
    times.push(time);
  }
  await bare.close();

  const gets = 20_000;
  const start = performance.now();
  for (let i = 0; i < gets; i++) await storage.documents.get('settings', keyOf(i * 7919));
  const getsPerSecond = (gets * 1000) / (performance.now() - start);
  await storage.close();
  const of = (figure: (time: (typeof times)[number]) => number) => median(times.map(figure));
  process.send?.({
    openMs,
    list: of(({ ours }) => ours),
    bareList: of(({ bare }) => bare),
    sealedList: of(({ sealed }) => sealed),
    perBare: of(({ ours, bare }) => ours / bare),
    perSealed: of(({ ours, sealed }) => ours / sealed),
    getsPerSecond,
    memoryMB,
  });
}

async function timeOf(list: () => Promise<unknown[]>): Promise<number> {
  const start = performance.now();
  const { length } = await list();
  const millis = performance.now() - start;
  if (length !== 100) throw new Error(`${length} settings were found`);
  return millis;
}

async function killsWhileWriting(root: string): Promise<boolean> {
  const directory = join(root, 'killed');
  let acknowledged = 0;
  let lost = 0;
  for (let kill = 0; kill < 8; kill++) {
    const child = fork(fileURLToPath(import.meta.url), ['--write', directory, String(kill)]);
    const known: string[] = [];
    child.on('message', (key) => known.push(String(key)));
    await once(child, 'message');
    await wait(300);
    child.kill('SIGKILL');
    await once(child, 'close');
    const storage = await filesystemStorage({ directory });
    for (const key of known) if (!(await storage.documents.get('settings', key))) lost++;
    await storage.close();
    acknowledged += known.length;
  }
  return report('23: kill -9 while writing, 8 times', [
    { what: 'acknowledged changes', figure: acknowledged },
    { what: 'of them lost', figure: lost, goal: { atMost: 0 } },
  ]);
}

/** Until it is killed: 32 writers that tell every key once it is durable. */
async function writeForEver(directory: string, name: string): Promise<void> {
  const storage = await filesystemStorage({ directory });
  let count = 0;
  const work = async () => {
    for (;;) {
      const key = `${name}/${count++}`;
      await storage.documents.write([
        { op: 'put', collection: 'settings', key, value: { v: textOf(count) } },
      ]);
      process.send?.(key);
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
}

async function main(place: string): Promise<void> {
  const root = await mkdtemp(join(place, 'headgate-bench-'));
  try {
    const held = [await durableWrites(root), await manySettings(root), await killsWhileWriting(root)];
    process.exitCode = held.every(Boolean) ? 0 : 1;
  } finally {
    await rm(root, { recursive: true });
  }
}

const [first = tmpdir(), second = '', third = ''] = process.argv.slice(2);
if (first === '--read') await readSettings(second);
else if (first === '--write') await writeForEver(second, third);
else await main(first);
