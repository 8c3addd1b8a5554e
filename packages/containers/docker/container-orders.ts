import { ContainerFailed, type ContainerSpec } from 'headgate/driver-kit';
import * as z from 'zod';
import { createBody } from './create-body.js';
import type { Http } from './http.js';
import { labelsOf } from './labels.js';
import type { RunOptions } from './run-options.js';
import type { Connection } from './runtime-connection.js';

const Made = z.object({ Id: z.string() });

/** Makes a container with its volumes, and does not start it; resolves its id. */
export async function createContainer(
  { http, address }: Connection,
  given: {
    readonly spec: ContainerSpec;
    readonly run: RunOptions;
    readonly owner: string;
    readonly publishAddress: string | undefined;
    readonly timeoutMillis: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<string> {
  const { spec, run, owner, timeoutMillis, signal } = given;
  const marks = labelsOf(owner, spec);
  // One that is there already stays whose it is.
  for (const { source } of run.volumes)
    if (!source.startsWith('/'))
      await http.order('/volumes/create', { body: { Name: source, Labels: marks }, signal });
  const publishAddress =
    given.publishAddress ?? (address.connection && 'socketPath' in address.connection ? '127.0.0.1' : '');
  const name = `headgate-${owner.slice(0, 12)}-${spec.name}`;
  const made = await http.ask(`/containers/create?name=${encodeURIComponent(name)}`, Made, {
    method: 'POST',
    body: createBody(run, marks, publishAddress),
    signal,
    timeoutMillis,
  });
  if (!made) throw new ContainerFailed(`There is no image ${run.image} any more, or no such network`);
  return made.Id;
}

export async function endContainer(
  http: Http,
  id: string,
  graceMillis: number,
  signal?: AbortSignal,
  timeoutMillis = 10_000,
): Promise<void> {
  const seconds = Math.ceil(graceMillis / 1000);
  // 304: it had ended.
  await http.order(`/containers/${id}/stop?t=${seconds}`, {
    signal,
    timeoutMillis: seconds * 1000 + timeoutMillis,
    fine: [304, 404],
  });
}

export async function removeContainer(http: Http, id: string, signal?: AbortSignal): Promise<void> {
  // 409: it is being removed already.
  await http.order(`/containers/${id}?force=true&v=true`, { method: 'DELETE', signal, fine: [404, 409] });
}

/** Removes what is left of earlier ones, so that the name is free. */
export async function clearContainers(
  { http, containers }: Connection,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { Id } of await containers.find(name, signal)) await removeContainer(http, Id, signal);
}
