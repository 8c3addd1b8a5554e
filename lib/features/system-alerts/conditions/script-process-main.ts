import 'ses';
import { readSync, writeSync } from 'node:fs';
import { Script as Watched } from 'node:vm';
import { replaceArrayMethods } from './array-methods.js';
import { createCompiler } from './compiler.js';
import { createEvaluations, type Evaluation, sliceMillis } from './evaluation.js';
import type { Line, ScriptOrder } from './protocol.js';
import { quietMillis } from './quiet-time.js';
import { readScript } from './script.js';
import { ScriptFault } from './script-fault.js';
import { topicValue } from './topic-value.js';

// The process in which scripts run; see script-process.ts. It never waits: orders are read and answers are written
// within one turn of the event loop that does not end, so whatever a script leaves to run later never runs.

const answerDescriptor = 3;
/** Of a condition that got too little of its time from the machine. */
const maxTries = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));

repairIntrinsics({ consoleTaming: 'unsafe', errorTrapping: 'none', unhandledRejectionTrapping: 'none' });
replaceArrayMethods(Array.prototype);
// It makes promises without naming any: nobody would ever hear of them, and they would pile up.
Reflect.deleteProperty(Array, 'fromAsync');
hardenIntrinsics();
const compile = createCompiler();

let present: Evaluation | undefined;
/** The runtime ends what it watches when the time is over, loops and regular expressions included. */
const watched = new Watched('headgateEvaluates()');
Object.defineProperty(globalThis, 'headgateEvaluates', { value: () => present?.run() });

/** When the host was told something, or said something itself. */
let toldAt = 0;

function tell(line: Line): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(answerDescriptor, bytes, sent);
  toldAt = performance.now();
}

const isQuiet = (): boolean => performance.now() - toldAt > quietMillis;

function stillAlive(): void {
  if (isQuiet()) tell({ is: 'progress', done: '', told: [], isRisky: false });
}

/** Ends the process when the host is gone. */
function read(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let got = 0; got < length; ) {
    const count = readSome(bytes, got);
    if (count === 0) process.exit(0);
    got += count;
  }
  return bytes;
}

const readText = (): string => read(read(4).readUInt32LE(0)).toString();

function readSome(bytes: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(0, bytes, at, bytes.length - at, null);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function checked(script: string): Line {
  try {
    const read = readScript(script);
    compile(read);
    return { is: 'sound', topics: read.topics.map((pattern) => [...pattern]) };
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    const { message, line, column } = error;
    return {
      is: 'faulty',
      message: message.slice(0, 500),
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    };
  }
}

/** Milliseconds of processor time. */
function ranMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const host = { tell, stillAlive, ranMillis, now: () => performance.now() };
const evaluations = createEvaluations(compile);
/** Of topics, by the numbers of their texts. */
const values = new Map<number, unknown>();

function evaluate(order: ScriptOrder & { is: 'round' }): void {
  toldAt = performance.now();
  for (const text of order.forgetTexts) values.delete(text);
  for (const text of order.texts) {
    values.set(text, topicValue(readText()));
    stillAlive();
  }
  present = evaluations.begin(order, values, host);
  let before = ranMillis();
  for (let tries = 1; present.isUnfinished; tries++) {
    try {
      watched.runInThisContext({ timeout: order.limitMillis + sliceMillis });
      tries = 0;
    } catch {
      // Only the watch throws here: evaluating answers for what scripts throw. A machine without time for this process has
      // it end what had hardly begun: that is begun again.
      if (tries < maxTries && ranMillis() - before < order.limitMillis / 10) continue;
      present.interrupted();
      tries = 0;
    }
    before = ranMillis();
    // Nothing may follow the last word of a round: the host would take it for the answer to its next order.
    if (present.isUnfinished && isQuiet()) tell(present.progress());
  }
  tell(present.progress());
}

tell({ is: 'ready' });
for (;;) {
  const order: ScriptOrder = JSON.parse(readText());
  if (order.is === 'check') tell(checked(order.script));
  else evaluate(order);
}
