import type { Container } from 'headgate/driver-kit';
import { logsUrl } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Sighting } from '../manager/reports.js';
import { isMasterContainer } from '../wire/ids.js';
import { Id, Moment, Quantity, Text } from '../wire/values.js';

export const MasterContainer = z.object({
  id: z.string(),
  host: Text,
  state: z.enum(['NEW', 'ALLOCATED', 'ACTIVE', 'KILLED']).catch('ACTIVE'),
  jvmName: Text,
  lastHeartbeat: Moment,
  numOperators: Quantity,
  operators: z
    .record(z.string(), Id)
    .nullish()
    .transform((operators) => operators ?? {}),
  memoryMBAllocated: Quantity,
  memoryMBFree: Quantity,
  gcCollectionTime: Quantity,
  gcCollectionCount: Quantity,
  containerLogsUrl: Text,
  rawContainerLogsUrl: Text,
  startedTime: Moment,
  finishedTime: Moment,
});
export const MasterContainers = z.object({ containers: z.array(MasterContainer) });

export const containerView = (container: z.output<typeof MasterContainer>): Container => ({
  ...container,
  containerType: isMasterContainer(container.id) ? 'APP_MASTER' : 'STREAMING',
});

/** One that the master does not know any more, as it was written down when it began. */
export const endedContainer = (container: Container): Container => ({
  ...container,
  state: 'KILLED',
  numOperators: 0,
  operators: {},
  memoryMBFree: 0,
});

/** That of the last attempt, as far as the resource manager knows it; `undefined`: there never was one. */
export function masterContainerOf({ report, masterLogs }: Sighting): Container | undefined {
  const id = masterLogs.split('/').find((part) => isMasterContainer(part));
  if (id === undefined) return undefined;
  return endedContainer(
    containerView(
      MasterContainer.parse({
        id,
        containerLogsUrl: masterLogs,
        startedTime: report.startedTime,
        finishedTime: report.finishedTime,
      }),
    ),
  );
}

/** As clients get it: the node's own address is for those inside the cluster. */
export const forClients = (container: Container, appId: string): Container => ({
  ...container,
  containerLogsUrl: logsUrl(appId, container.id),
});

/** Those that the master tells of, and those that were before them: in the order of their start. */
export function withHistory(told: readonly Container[], history: readonly Container[]): Container[] {
  const known = new Set(told.map(({ id }) => id));
  const earlier = history.filter(({ id }) => !known.has(id)).map(endedContainer);
  return [...earlier, ...told];
}
