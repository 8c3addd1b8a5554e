import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { eventually } from '../../helpers/waiting.js';

/** Calls the REST API of a cluster; throws what it says when it refuses. */
export async function ask<T>(rest: string, path: string, init?: RequestInit): Promise<T> {
  const reply = await fetch(`${rest}${path}`, init);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text.slice(0, 4000)}`);
  return JSON.parse(text || '{}') as T;
}

/** Uploads a jar; resolves the id that `runJar` takes. */
export async function uploadJar(rest: string, jar: string): Promise<string> {
  const body = new FormData();
  body.set('jarfile', new Blob([new Uint8Array(await readFile(jar))]), basename(jar));
  const { filename } = await ask<{ filename: string }>(rest, '/jars/upload', { method: 'POST', body });
  return basename(filename);
}

/** Runs a program of an uploaded jar; resolves the id of its job. */
export async function runJar(
  rest: string,
  jarId: string,
  program: { readonly entryClass: string; readonly args?: readonly string[] },
): Promise<string> {
  const { entryClass, args = [] } = program;
  const { jobid } = await ask<{ jobid: string }>(rest, `/jars/${jarId}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entryClass, programArgsList: args }),
  });
  return jobid;
}

interface Job {
  readonly state: string;
  readonly vertices: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

export const jobOf = (rest: string, job: string): Promise<Job> => ask(rest, `/jobs/${job}`);

/** Until all parts of a job run. Throws when it failed. */
export async function untilJobRuns(rest: string, job: string): Promise<void> {
  await eventually(async () => {
    const { state, vertices } = await jobOf(rest, job);
    if (state === 'FAILED') {
      const told = await ask<object>(rest, `/jobs/${job}/exceptions`);
      throw new Error(`The job failed: ${JSON.stringify(told).slice(0, 4000)}`);
    }
    return vertices.every(({ status }) => status === 'RUNNING') || undefined;
  }, 100);
}

/** Cancels a job and waits for its end. */
export async function cancelJob(rest: string, job: string): Promise<void> {
  await ask(rest, `/jobs/${job}?mode=cancel`, { method: 'PATCH' });
  await eventually(async () => ((await jobOf(rest, job)).state === 'CANCELED' ? true : undefined), 50);
}
