import { type Runtime, Session } from 'node:inspector';
import { parentPort } from 'node:worker_threads';

// Looks at the main thread of this process through the inspector, without a port, each time its parent says so. What is
// asked interrupts the main thread wherever it is in JavaScript, and says where that is. The debugger stays off: its pause
// describes every call of the stack with all its variables, which took seconds for some thousand calls; this takes a few
// milliseconds, however deep the stack is.
//
// One thread for the whole life of the process: the runtime may abort when one ends that is still being answered. No
// session outlives its trace: a process with one waits at its end.

export interface MainThread {
  readonly state: 'RUNNABLE' | 'WAITING';
  /** Innermost first; of a deeper stack than `maxFrames` the last one says so. */
  readonly frames: readonly string[];
}

const maxFrames = 256;
const maxFrameCharacters = 1024;
const ownName = 'headgate:stack';
const waiting = '<waiting for events>';

/** Leaves everything as it was: it runs in the middle of somebody else's code. Two of the frames are its own. */
const expression = `(() => {
  const { stackTraceLimit } = Error;
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  if (prepare) delete Error.prepareStackTrace;
  Error.stackTraceLimit = ${maxFrames + 3};
  try {
    return String(new Error().stack);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (prepare) Object.defineProperty(Error, 'prepareStackTrace', prepare);
  }
})()
//# sourceURL=${ownName}`;

const session = new Session();
let isBusy = false;

parentPort?.on('message', () => {
  if (isBusy) return;
  isBusy = true;
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression, silent: true }, (error, answer) => {
    const value: unknown = answer?.result.value;
    const main =
      error === null && typeof value === 'string' ? mainThread(value) : unreadable(error, answer?.result);
    session.disconnect();
    isBusy = false;
    parentPort?.postMessage(main);
  });
});

/** Without any frame it waits for events, outside of JavaScript. */
function mainThread(stack: string): MainThread {
  const lines = stack.split('\n').filter((line) => line.startsWith('    at ') && !line.includes(ownName));
  const frames = lines.slice(0, maxFrames).map(frameText);
  if (lines.length > maxFrames) frames.push(`... more than ${maxFrames} calls`);
  return frames.length > 0 ? { state: 'RUNNABLE', frames } : { state: 'WAITING', frames: [waiting] };
}

/** It runs, but has no room left for a question, or its operators changed what the question needs. */
function unreadable(error: Error | null, result: Runtime.RemoteObject | undefined): MainThread {
  const why = (error?.message ?? result?.description ?? 'no text').split('\n', 1)[0];
  return { state: 'RUNNABLE', frames: [`<the stack can not be read: ${why}>`.slice(0, maxFrameCharacters)] };
}

/** `Class.method (file:line:column)`. */
function frameText(line: string): string {
  const text = line.slice('    at '.length);
  return (text.endsWith(')') ? text : `<anonymous> (${text})`).slice(0, maxFrameCharacters);
}
