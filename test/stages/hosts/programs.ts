import { readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { expressMiddleware } from '../../../adapters/host/express.js';
import { fetchHandler } from '../../../adapters/host/fetch.js';
import { httpHandler } from '../../../adapters/host/http.js';
import { koaMiddleware } from '../../../adapters/host/koa.js';
import type { Gateway } from '../../../lib/index.js';
import { root } from '../../helpers/sources.js';

// The hosts in `test/stages/hosts/programs/`. Each has a page, an echo behind its own body parser and a WebSocket at /own,
// all made as its users would.

/** The gateway for each kind of host, at one prefix. Express takes that off by itself. */
export const mountOf = (gateway: Gateway, prefix: string) => ({
  prefix,
  http: httpHandler(gateway, { prefix }),
  express: expressMiddleware(gateway),
  koa: koaMiddleware(gateway, { prefix }),
  fetch: fetchHandler(gateway, { prefix }),
});

export interface HowToStart {
  /** Whether `attach` gets the server before the host's own WebSocket is there, or after it. */
  readonly order: 'before' | 'after';
  attach(server: Server): void;
  /** Where the host itself mounts the gateway, as docs/hosts.md says. */
  readonly mount?: ReturnType<typeof mountOf>;
}

export interface RunningProgram {
  readonly server: Server;
  close(): Promise<unknown>;
}

const Program = z.object({
  /** As the table of docs/hosts.md names it. */
  name: z.string(),
  start: z.custom<(how: HowToStart) => Promise<RunningProgram>>((value) => typeof value === 'function'),
});
export type Program = z.infer<typeof Program>;

export async function programs(): Promise<readonly Program[]> {
  const folder = join(root, 'test/stages/hosts/programs');
  const files = readdirSync(folder);
  return Promise.all(
    files.map(async (file) => Program.parse(await import(pathToFileURL(join(folder, file)).href))),
  );
}
