import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * As much of Docker's HTTP API as services use, on a real socket, without containers: it remembers what it was told. What
 * a real one makes of it is in `test/stages/containers`.
 */
export interface DockerDouble {
  /** `unix:///...` */
  readonly host: string;
  readonly containers: Map<string, DoubleContainer>;
  /** Names of images that are there, or were pulled. */
  readonly images: Set<string>;
  /** Where published ports lead on this machine. */
  port: number;
  /** Whoever asks is cut off. */
  isDown: boolean;
  /** What a pull waits for. */
  pulled: Promise<void>;
  /** Commands that were run in containers. */
  readonly executed: string[][];
}

export interface DoubleContainer {
  readonly name: string;
  /** The body of its creation. */
  readonly made: Made;
  state: 'created' | 'running' | 'exited';
  exitCode: number;
  /** What it printed last. */
  lastLine: string;
  /** Says of itself that it is not ready. */
  isStarting: boolean;
}

interface Made {
  readonly Image: string;
  readonly Cmd?: readonly string[];
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: {
    readonly PortBindings: Readonly<Record<string, unknown>>;
    readonly Memory?: number;
  };
}

/** A container of the command `fail` ends at once, one of `wait` never gets ready, any other one runs. */
export async function dockerDouble(t: {
  teardown(close: () => Promise<void>): unknown;
}): Promise<DockerDouble> {
  // The path of a socket is short.
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const path = join(directory, 'd.sock');
  const server = createServer((req, res) => {
    if (self.isDown) req.destroy();
    else void answer(self, req, res);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true });
  });
  const self: DockerDouble = {
    host: `unix://${path}`,
    containers: new Map(),
    images: new Set(),
    port: 0,
    isDown: false,
    pulled: Promise.resolve(),
    executed: [],
  };
  return self;
}

async function answer(self: DockerDouble, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://docker');
  const body = await bodyOf(req);
  const json = (value: unknown, status = 200) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const done = () => res.writeHead(204).end();
  const [, kind = '', id = '', verb = ''] = pathname.split('/');
  const container = self.containers.get(id);

  if (kind === 'version') return void json({ Version: '24.0.7' });
  if (kind === 'volumes') return void json({ Volumes: [] });
  if (kind === 'images' && req.method === 'POST') {
    const image = searchParams.get('fromImage') ?? '';
    res.write(`${JSON.stringify({ status: 'Pulling', id: 'a' })}\n`);
    await self.pulled;
    self.images.add(image);
    return void res.end();
  }
  if (kind === 'images') {
    const name = pathname.slice('/images/'.length, -'/json'.length);
    return void (self.images.has(name) ? json({ Id: name }) : json({ message: 'no such image' }, 404));
  }
  if (kind === 'exec') {
    if (verb === 'json') return void json({ Running: false, ExitCode: 0 });
    return void res.end();
  }
  if (id === 'json') {
    const { label = [] } = JSON.parse(searchParams.get('filters') ?? '{}');
    const fits = ({ made: { Labels } }: DoubleContainer) =>
      label.every((one: string) => Labels[one.split('=')[0] ?? ''] === one.split('=')[1]);
    const listed = [...self.containers].filter(([, one]) => fits(one));
    return void json(
      listed.map(([Id, { state, made }]) => ({ Id, Created: 1, State: state, Labels: made.Labels })),
    );
  }
  if (id === 'create') {
    const Id = randomBytes(8).toString('hex');
    const made: Made = JSON.parse(body);
    const [word] = made.Cmd ?? [];
    self.containers.set(Id, {
      name: searchParams.get('name') ?? '',
      made,
      state: 'created',
      exitCode: 0,
      lastLine: '',
      isStarting: word === 'wait',
    });
    return void json({ Id }, 201);
  }
  if (!container) return void json({ message: 'no such container' }, 404);
  if (req.method === 'DELETE') {
    self.containers.delete(id);
    return void done();
  }
  if (verb === 'start') {
    container.state = 'running';
    if (container.made.Cmd?.[0] === 'fail') end(container, 3, 'no table');
    return void done();
  }
  if (verb === 'stop') {
    end(container, 143);
    return void done();
  }
  if (verb === 'exec') {
    self.executed.push(JSON.parse(body).Cmd);
    return void json({ Id: 'exec' }, 201);
  }
  if (verb === 'stats') return void json({ memory_stats: { usage: 64 * 2 ** 20, stats: {} } });
  if (verb === 'logs') {
    const line = Buffer.from(container.lastLine);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(line.length, 4);
    return void res.end(Buffer.concat([head, line]));
  }
  json(inspected(self, id, container));
}

export function end(container: DoubleContainer, exitCode: number, lastLine = ''): void {
  Object.assign(container, { state: 'exited', exitCode, lastLine });
}

const inspected = ({ port }: DockerDouble, Id: string, container: DoubleContainer) => ({
  Id,
  State: {
    Status: container.state,
    ExitCode: container.exitCode,
    StartedAt: new Date().toISOString(),
    ...(container.isStarting ? { Health: { Status: 'starting' } } : {}),
  },
  HostConfig: { Memory: container.made.HostConfig.Memory ?? 0 },
  NetworkSettings: {
    Ports: Object.fromEntries(
      Object.keys(container.made.HostConfig.PortBindings).map((inside) => [
        inside,
        [{ HostIp: '127.0.0.1', HostPort: String(port) }],
      ]),
    ),
  },
});

async function bodyOf(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
