import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { syncPath } from './on-disk.js';

// What gateway and supervisor tell each other, by files: it has to work when one of them has been killed.

const Identity = z.object({ pid: z.int().min(2), started: z.string() });

/** `run.json`, written by the supervisor only. */
export const RunRecord = z.object({
  id: z.string(),
  revision: z.string(),
  startedTime: z.number(),
  supervisor: Identity,
  program: Identity.optional(),
  state: z.enum(['starting', 'running', 'ended']),
  reason: z.string().optional(),
  ports: z.array(z.number()),
});
export type RunRecord = z.output<typeof RunRecord>;

/** `order.json`: what a supervisor is started for. A newer one, or none but an `id`, makes an older supervisor give way. */
export interface RunOrder {
  readonly id: string;
  readonly revision: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ports: readonly number[];
  /** Bytes; absent: no limit. */
  readonly memoryBytes?: number;
  readonly logBytes: number;
  readonly logFiles: number;
}

export const runFile = (directory: string): string => join(directory, 'run.json');
export const orderFile = (directory: string): string => join(directory, 'order.json');

/** `undefined` when there is none, or none that can be read: then nothing is known to run. */
export async function readRun(directory: string): Promise<RunRecord | undefined> {
  const text = await readFile(runFile(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return RunRecord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Whole or not at all, and on the disk; only its owner may read it: arguments may hold passwords. The name of the
 * draft is the process's own: two supervisors may write at the same time.
 */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, JSON.stringify(value), { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
  await syncPath(dirname(path));
}
