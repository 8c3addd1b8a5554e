import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JarContents } from '../lib/model/jar-contents.js';
import { jarReader } from '../packages/jars/reader.js';
import { classFilesIn, publishedJars } from '../test/stages/jars/published.js';

// How long the operators of a published library take to be found, and how long that stops the event loop. The peer is what
// nobody can do without: inflating its class files.

const goalMillis = 50;
const { malhar } = await publishedJars();
const bytes = await readFile(malhar);
const source = { files: [{ name: 'lib/library.jar', size: bytes.length }], read: async () => bytes };
const reader = jarReader();

interface Watched<T> {
  readonly value: T;
  readonly millis: number;
  /** CPU of the whole process between two turns: what other processes take does not count. */
  readonly longestStop: number;
  /** The same by the clock. */
  readonly longestWait: number;
}

async function watched<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let [wait, stop, at, cpu] = [0, 0, performance.now(), process.cpuUsage()];
  const watch = setInterval(() => {
    const [now, used] = [performance.now(), process.cpuUsage()];
    wait = Math.max(wait, now - at);
    stop = Math.max(stop, (used.user + used.system - cpu.user - cpu.system) / 1000);
    [at, cpu] = [now, used];
  }, 1);
  const started = performance.now();
  try {
    const value = await work();
    return { value, millis: performance.now() - started, longestStop: stop, longestWait: wait };
  } finally {
    clearInterval(watch);
  }
}

const figures: { idle: Watched<unknown>; floor: Watched<Buffer[]>; found: Watched<JarContents> }[] = [];
const rounds = 5;
for (let round = 0; round < rounds; round++) {
  const floor = await watched(() => classFilesIn(malhar));
  const { signal } = new AbortController();
  const found = await watched(() => reader.read(source, ['lib/*.jar'], signal));
  const idle = await watched(() => sleep(found.millis));
  figures.push({ idle, floor, found });
}
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const of = (pick: (figure: (typeof figures)[number]) => number) => median(figures.map(pick));
const [last] = figures.slice(-1);

console.log(
  `${basename(malhar)}: ${last?.floor.value.length} classes, ${last?.found.value.classes.length} operators`,
);
console.log(
  `found in ${of(({ found }) => found.millis).toFixed(0)} ms; inflated alone in ${of(({ floor }) => floor.millis).toFixed(0)} ms`,
);
console.log(
  `longest stop ${Math.max(...figures.map(({ found }) => found.longestStop)).toFixed(1)} ms of CPU (goal ${goalMillis}), ` +
    `${of(({ found }) => found.longestWait).toFixed(1)} ms by the clock, where an idle process sees ${of(({ idle }) => idle.longestWait).toFixed(1)} ms (medians of ${rounds} rounds)`,
);
