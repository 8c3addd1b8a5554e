import { Conflict, ContainerFailed, type ContainerReport, type ContainerSpec } from 'headgate/driver-kit';
import { clearContainers, createContainer, endContainer, removeContainer } from './container-orders.js';
import { execute } from './exec.js';
import type { DockerLimits } from './options.js';
import { isLiving } from './report.js';
import type { RunOptions } from './run-options.js';
import type { Connection } from './runtime-connection.js';

/** Starts a service in a new container, with its `exec`; one that does not come up leaves nothing running. */
export async function startContainer(
  to: Connection,
  given: {
    readonly spec: ContainerSpec;
    readonly run: RunOptions;
    readonly owner: string;
    readonly publishAddress: string | undefined;
    readonly limits: DockerLimits;
    readonly signal: AbortSignal | undefined;
  },
): Promise<ContainerReport> {
  const { http, containers } = to;
  const { spec, limits, signal } = given;
  const before = await containers.find(spec.name, signal);
  if (before.some(({ State }) => isLiving(State)))
    throw new Conflict('CONTAINER_RUNNING', `A container of ${spec.name} runs already`);
  await clearContainers(to, spec.name, signal);
  const id = await createContainer(to, { ...given, timeoutMillis: limits.imageMillis });
  try {
    await http.order(`/containers/${id}/start`, { signal, timeoutMillis: limits.imageMillis });
  } catch (error) {
    await removeContainer(http, id).catch(() => {});
    throw error;
  }
  if (spec.exec)
    try {
      await execute(http, id, spec.exec, { signal, millis: limits.execMillis });
    } catch (error) {
      await endContainer(http, id, 0).catch(() => {});
      throw error;
    }
  const [listed] = await containers.find(spec.name, signal);
  const report = listed && (await containers.report(listed, signal));
  if (!report) throw new ContainerFailed(`The container of ${spec.name} was removed while it started`);
  return report;
}
