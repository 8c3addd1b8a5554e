import { spawn } from 'node:child_process';
import { rollingLog } from './log.js';
import type { RunOrder } from './record.js';

/** A program that was started, unless it has no `pid`, and whose output goes to a log. */
interface RunningProgram {
  readonly pid: number | undefined;
  /** Resolves why it ended, in a sentence. */
  readonly ended: Promise<string>;
  closeLog(): void;
}

/** `why`: what somebody brought its end about for. */
export function runProgram(order: RunOrder, logFile: string, why: () => string | undefined): RunningProgram {
  const log = rollingLog(logFile, order.logBytes, order.logFiles);
  let tail = '';
  const take = (bytes: Buffer) => {
    log.write(bytes);
    tail = (tail + bytes.toString('utf8')).slice(-2000);
  };
  const child = spawn(order.program, order.args, {
    cwd: order.cwd,
    env: order.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all that it starts ends with it.
    detached: true,
  });
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${order.program} can't be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      const last = tail.trimEnd().split('\n').at(-1)?.slice(0, 300);
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      resolve(why() ?? `It ended ${how}${last ? `: ${last}` : ''}`);
    });
  });
  return { pid: child.pid, ended, closeLog: log.close };
}
