import { createHash } from 'node:crypto';
import { type Container, ContainerStats, OperatorStats, type PhysOperator } from 'headgate/driver-kit';
import type { PartFormat } from '../part-files/format.js';

// `{id}:{ms}:{json}`, with the id of a container or of a physical operator.

const line = /^([^:]{1,200}):(\d{1,15}):(.*)$/s;

export const statsFormat: PartFormat = {
  timeOf(text) {
    const timestamp = line.exec(text)?.[2];
    return timestamp === undefined ? undefined : Number(timestamp);
  },
};

export const containerLine = (container: Container, at: number): string =>
  `${container.id}:${at}:${JSON.stringify({
    numOperators: container.numOperators,
    memoryMBFree: container.memoryMBFree,
    gcCollectionTime: container.gcCollectionTime,
    gcCollectionCount: container.gcCollectionCount,
  })}`;

/** What is measured; what an operator is stands in the meta file. */
export function operatorLine(operator: PhysOperator, at: number): string {
  const { id, name, logicalName, className, status, isUnifier, unifierClass, ...measured } = operator;
  const { recordingId, recordingStartTime, failureCount, lastHeartbeat, ...stats } = measured;
  return `${id}:${at}:${JSON.stringify(stats)}`;
}

/** `undefined` for a line that a crash or a disk has damaged. */
export function parseContainerLine(text: string): ContainerStats | undefined {
  const parts = partsOf(text);
  const item = { containerId: parts?.id, timestamp: parts?.timestamp, stats: parts?.stats };
  return ContainerStats.safeParse(item).data;
}

export function parseOperatorLine(text: string): OperatorStats | undefined {
  const parts = partsOf(text);
  const item = { operatorId: parts?.id, timestamp: parts?.timestamp, stats: parts?.stats };
  return OperatorStats.safeParse(item).data;
}

function partsOf(text: string): { id: string; timestamp: number; stats: unknown } | undefined {
  const [, id = '', timestamp, json = ''] = line.exec(text) ?? [];
  try {
    const stats: unknown = JSON.parse(json);
    return { id, timestamp: Number(timestamp), stats };
  } catch {
    return undefined;
  }
}

/** Names may hold what folders may not, and file systems may not tell `A` from `a`. */
export function folderOf(operatorName: string): string {
  if (/^[a-z\d_-]{1,64}$/.test(operatorName)) return operatorName;
  const plain = operatorName.toLowerCase().replace(/[^a-z\d_-]+/g, '-');
  return `${plain.slice(0, 64)}.${createHash('sha256').update(operatorName).digest('hex').slice(0, 16)}`;
}
