import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '../../test/helpers/ports.js';
import type { Orders } from './clients.js';
import type { Kind } from './wire.js';

/** A server in its own process, so that its processor time is its own. */
export interface Measured {
  readonly kind: Kind;
  readonly port: number;
  /** Seconds of processor time so far. */
  cpu(): Promise<number>;
  /** Resident bytes, after a garbage collection where there is one. */
  memory(): Promise<number>;
  /** Headgate only: publishes a snapshot from inside. */
  push(topic: string, data: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Clients {
  do<K extends keyof Orders>(what: K, order: Orders[K]['order']): Promise<Orders[K]['answer']>;
  stop(): Promise<void>;
}

const here = (file: string) => new URL(file, import.meta.url);

export const startServer = (kind: Kind): Promise<Measured> =>
  kind === 'nats' ? startNats() : startNode(kind);

async function startNode(kind: Kind): Promise<Measured> {
  const child = fork(here('./server.js'), [kind], { execArgv: ['--expose-gc'] });
  const ask = async (question: object) => {
    child.send(question);
    return Number(await answerOf(child));
  };
  return {
    kind,
    port: Number(await answerOf(child)),
    cpu: () => ask({ ask: 'cpu' }),
    memory: () => ask({ ask: 'memory' }),
    push: async (topic, data) => void (await ask({ ask: 'push', topic, data })),
    stop: () => end(child),
  };
}

export const hasNats = (): boolean => spawnSync('nats-server', ['--version']).status === 0;

async function startNats(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nats-'));
  const port = await ownPort();
  const config = join(folder, 'nats.conf');
  writeFileSync(
    config,
    `listen: "127.0.0.1:-1"\nping_interval: "10m"\nmax_connections: 10000\nwebsocket { listen: "127.0.0.1:${port}", no_tls: true }\n`,
  );
  const child = spawn('nats-server', ['-c', config], { stdio: 'ignore' });
  await listening(port);
  return {
    kind: 'nats',
    port,
    cpu: async () => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
      const [user = 0, system = 0] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
      return (user + system) / 100;
    },
    memory: async () => Number(readFileSync(`/proc/${child.pid}/statm`, 'latin1').split(' ')[1]) * 4096,
    push: () => Promise.reject(new Error('NATS has no inside')),
    stop: async () => {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}

export function startClients(): Clients {
  const child = fork(here('./clients.js'));
  return {
    async do(what, order) {
      child.send({ what, order });
      const reply = (await answerOf(child)) as { answer?: never; error?: string };
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply.answer as never;
    },
    stop: () => end(child),
  };
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  const died = once(child, 'exit', { signal: gone.signal }).then(([code]) => {
    throw new Error(`A process of the bench ended with ${code}`);
  });
  died.catch(() => {});
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal: gone.signal }), died]);
    return answer;
  } finally {
    gone.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const socket = net.connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nats-server does not listen');
}
