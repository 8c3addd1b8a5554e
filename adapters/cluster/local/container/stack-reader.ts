import { type Debugger, Session } from 'node:inspector';
import { parentPort } from 'node:worker_threads';

// Looks at the main thread of this process through the inspector, without a port, each time its parent says so. The
// main thread stands still from the pause to the resumption; the debugger is off in between.
//
// One thread for the whole life of the process: the runtime may abort when one ends that is still being answered. No
// session outlives its trace: a process with one waits at its end.

export interface MainThread {
  readonly state: 'RUNNABLE' | 'WAITING';
  /** Innermost first. */
  readonly frames: readonly string[];
}

const maxFrames = 256;
/** A thread that was reached and does not pause is waiting for events. */
const idleMillis = 250;

const session = new Session();

/** Of the scripts by their ids. */
const urls = new Map<string, string>();
let idle: NodeJS.Timeout | undefined;
let isBusy = false;
let isPaused = false;

session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
  urls.set(scriptId, url);
});
session.on('Debugger.paused', ({ params: { callFrames } }) => {
  isPaused = true;
  clearTimeout(idle);
  session.post('Debugger.resume', () => {
    const frames = callFrames.slice(0, maxFrames).map(frameText);
    const more = callFrames.length - frames.length;
    finish({ state: 'RUNNABLE', frames: more > 0 ? [...frames, `... ${more} more`] : frames });
  });
});

/** What the main thread says comes in order: a pause that it is just telling about comes before this answer. */
function finishIfIdle(): void {
  session.post('Runtime.getIsolateId', () => {
    if (!isPaused) finish({ state: 'WAITING', frames: [] });
  });
}

function finish(main: MainThread): void {
  // Takes back a pause that has not come.
  session.post('Debugger.disable', () => {
    session.disconnect();
    isBusy = false;
    isPaused = false;
    urls.clear();
    parentPort?.postMessage(main);
  });
}

parentPort?.on('message', () => {
  if (isBusy) return;
  isBusy = true;
  session.connectToMainThread();
  // One after the other: the scripts of the process are told before the pause, not during it.
  session.post('Debugger.enable', () => {
    session.post('Debugger.pause', () => {
      idle = setTimeout(finishIfIdle, idleMillis);
    });
  });
});

/** `Class.method (file:line:column)`. */
function frameText({ functionName, location, this: self }: Debugger.CallFrame): string {
  const owner = self.className && functionName && self.className !== 'global' ? `${self.className}.` : '';
  const url = urls.get(location.scriptId);
  const place = `${url || '<anonymous>'}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
  return `${owner}${functionName || '<anonymous>'} (${place})`.slice(0, 1024);
}
