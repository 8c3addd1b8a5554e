import {
  Conflict,
  type Container,
  type ContainerControl,
  NotFound,
  type StackTraceReader,
  ThreadDump,
} from 'headgate/driver-kit';
import * as z from 'zod';
import type { FilesOf } from '../facets/history.js';
import type { MasterClient } from '../masters/client.js';
import { containerView, MasterContainers, withHistory } from '../views/containers.js';
import { isContainerId } from '../wire/ids.js';
import { Id } from '../wire/values.js';
import type { MasterDetails } from './details.js';

const Threads = z.object({
  threads: z.array(
    z.object({ name: z.string(), state: z.string(), id: Id, stackTraceElements: z.array(z.string()) }),
  ),
});

/** The containers of a running application, those included that have ended. */
interface RunningContainers {
  list(signal?: AbortSignal): Promise<Container[]>;
  readonly kill: ContainerControl['kill'];
  readonly stackTrace: StackTraceReader['read'];
}

export function runningContainers(deps: {
  readonly client: MasterClient;
  readonly details: MasterDetails;
  readonly filesOf: FilesOf;
}): RunningContainers {
  const { client, details, filesOf } = deps;

  async function list(signal?: AbortSignal): Promise<Container[]> {
    const told = (await client.get(MasterContainers, 'physicalPlan/containers', signal)).containers;
    // The master answers without its files too.
    const history = await details.history(await filesOf(signal), signal).catch(() => []);
    return withHistory(told.map(containerView), history);
  }

  async function known(containerId: string, signal: AbortSignal | undefined): Promise<Container> {
    const found = isContainerId(containerId)
      ? (await list(signal)).find(({ id }) => id === containerId)
      : undefined;
    if (!found) throw new NotFound('container', containerId);
    return found;
  }

  return {
    list,
    async kill(containerId, { signal } = {}) {
      const { state } = await known(containerId, signal);
      if (state === 'KILLED')
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} has ended`);
      await client.post(`physicalPlan/containers/${containerId}/kill`, {}, signal);
    },
    async stackTrace(containerId, { signal } = {}) {
      const { state } = await known(containerId, signal);
      if (state !== 'ACTIVE')
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} does not run (${state})`);
      const path = `physicalPlan/containers/${containerId}/stackTrace`;
      return ThreadDump.parse(await client.get(Threads, path, signal, 'slow'));
    },
  };
}
