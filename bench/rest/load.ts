import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';

// Servers in processes of their own, and what is asked of them: for the benches of REST.

const connections = 32;

/** For this process and those that it starts. Elsewhere than on Linux they stay where they are. */
export function shareOneProcessor(): void {
  if (process.platform !== 'linux') return;
  const status = readFileSync('/proc/self/status', 'utf8');
  const [, last = '0'] = /^Cpus_allowed_list:.*?(\d+)$/m.exec(status) ?? [];
  execFileSync('taskset', ['-a', '-p', '-c', last, String(process.pid)]);
}

export interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

/** `told`: what the server says of itself besides. */
export async function start(
  program: URL,
  kind: string,
): Promise<
  Running & {
    readonly told: { readonly user?: string; readonly cookie?: string; readonly password?: string };
  }
> {
  const child = fork(program, [kind]);
  const [told] = await once(child, 'message');
  return { child, port: told.port, told };
}

/** Processor time of the server until now. */
export async function micros({ child }: Running): Promise<number> {
  child.send('cpu');
  const [answer] = await once(child, 'message');
  return answer.micros;
}

/** One connection asks again as soon as it was answered. Resolves the last answer. */
export function ask(port: number, request: string, times: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let left = times;
    let answer = '';
    socket.setNoDelay(true);
    socket.on('connect', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(answer)?.[1];
      if (head < 0 || answer.length < head + 4 + Number(length)) return;
      if (!answer.startsWith('HTTP/1.1 200')) reject(new Error(answer));
      if (--left > 0) {
        answer = '';
        socket.write(request);
      } else socket.end(() => resolve(answer));
    });
  });
}

/** One request a millisecond for two seconds, on connections that are free; milliseconds of the slowest but one in a hundred. */
export async function p99(port: number, path: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const total = 2000;
  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    const from = performance.now();
    const timer = setInterval(() => {
      for (const due = Math.min(performance.now() - from, total); sent < due; sent++) {
        const began = performance.now();
        get({ port, agent, host: '127.0.0.1', path }, (answer) => {
          answer.resume().once('end', () => {
            times.push(performance.now() - began);
            if (times.length === total) resolve();
          });
        }).once('error', reject);
      }
      if (sent >= total) clearInterval(timer);
    }, 1);
  });
  agent.destroy();
  return times.sort((a, b) => a - b)[Math.floor(total * 0.99)] ?? Number.NaN;
}

export const load = (port: number, request: string, times: number) =>
  Promise.all(Array.from({ length: connections }, () => ask(port, request, times / connections)));
