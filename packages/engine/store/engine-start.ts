import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeWhole } from 'headgate/driver-kit';
import * as z from 'zod';
import { isSocketDirectory } from './sockets.js';

const Start = z.object({ startedAt: z.number(), sockets: z.string().exactOptional() });

/**
 * Notes a start of the engine in `engine.json`. Resolves its time: larger than those of all earlier ones. Sockets that
 * an earlier one left behind, because its host was killed, are removed.
 */
export async function noteStart(directory: string, now: number, sockets: string): Promise<number> {
  const path = join(directory, 'engine.json');
  const text = await readIfThere(path);
  const before = text === undefined ? { startedAt: 0 } : startOf(text, path);
  if (before.sockets !== undefined && isSocketDirectory(before.sockets))
    await rm(before.sockets, { recursive: true, force: true });
  const startedAt = Math.max(now, before.startedAt + 1);
  await writeWhole(path, JSON.stringify({ startedAt, sockets }));
  return startedAt;
}

function startOf(text: string, path: string): z.infer<typeof Start> {
  try {
    return Start.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`The file ${path} is damaged; delete it to start the engine, no application is lost`, {
      cause,
    });
  }
}
