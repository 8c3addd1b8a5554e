import { Socket } from 'node:net';
import { threadId, Worker, workerData } from 'node:worker_threads';
import { stackTimeoutMillis } from '../protocol/stack-timeout.js';
import type { MainThread } from './stack-reader.js';

// A thread of its own beside the operators: when the host dies while an operator does not return, nobody else is left
// to end this process, and nobody else can say where it is.

const checkMillis = 1000;
/** Where the host asks for stacks; its lines say nothing but that. */
const hostChannel = 4;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, checkMillis);

const host = new Socket({ fd: hostChannel, readable: true, writable: true });
const answer = (dump: unknown) => host.write(`${JSON.stringify(dump)}\n`);
let reader: Worker | undefined;
let timer: NodeJS.Timeout | undefined;

host.on('error', () => {});
host.on('data', () => {
  reader ??= startReader();
  clearTimeout(timer);
  // The main thread is somewhere outside of JavaScript. When it comes back, whoever asks then is answered.
  timer = setTimeout(() => answer(null), stackTimeoutMillis);
  reader.postMessage('read');
});

/** A thread of its own, so that a stack of any size costs this one nothing. */
function startReader(): Worker {
  const started = new Worker(new URL('./stack-reader.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  started.on('message', (main: MainThread) => {
    clearTimeout(timer);
    answer(dumpOf(main));
  });
  started.on('error', () => {
    reader = undefined;
  });
  return started;
}

const dumpOf = (main: MainThread) => ({
  threads: [
    { name: 'main', id: '0', state: main.state, stackTraceElements: main.frames },
    { name: 'watchdog', id: String(threadId), state: 'RUNNABLE', stackTraceElements: ['<answering>'] },
  ],
});
