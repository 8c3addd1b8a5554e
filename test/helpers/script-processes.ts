import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ScriptChild {
  readonly pid: number;
  readonly args: readonly string[];
  readonly environment: string;
  /** Milliseconds of processor time of its first thread. */
  readonly ran: number;
  kill(signal: 'SIGKILL' | 'SIGSTOP'): void;
}

/** What Linux knows of the children of this process that run conditions of alerts. */
export const scriptProcesses = (): readonly ScriptChild[] =>
  about(`${process.pid}/task/${process.pid}`, 'children')
    .split(' ')
    .filter((pid) => pid !== '')
    .map((pid) => ({
      pid: Number(pid),
      args: about(pid, 'cmdline').split('\0').slice(1, -1),
      environment: about(pid, 'environ'),
      ran: Number(about(pid, 'schedstat').split(' ')[0]) / 1e6,
      kill(signal: 'SIGKILL' | 'SIGSTOP') {
        process.kill(Number(pid), signal);
      },
    }))
    .filter(({ args }) => args.at(-1) === 'headgate-conditions');

function about(pid: string, what: string): string {
  try {
    return readFileSync(join('/proc', pid, what), 'utf8');
  } catch {
    return '';
  }
}
