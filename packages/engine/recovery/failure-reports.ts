import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure } from 'headgate/driver-kit';
import type { FromContainer } from '../protocol/protocol.js';
import type { ApplicationRecord } from '../store/record.js';

interface NewEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** `OperatorError` when one operator is to blame, `ContainerError` otherwise. */
export function failureEvent(failure: Failure, logFileOffset: string | undefined): NewEvent {
  const data = {
    containerId: failure.containerId ?? '',
    errorMessage: failure.stackTrace ?? failure.message,
    logLevel: 'ERROR',
    logFileName: 'headgate.log',
    ...(logFileOffset === undefined ? {} : { logFileOffset }),
  };
  if (failure.operatorId === undefined) return { type: 'ContainerError', data };
  return {
    type: 'OperatorError',
    data: { ...data, operatorName: failure.operatorName ?? '', operatorId: failure.operatorId },
  };
}

export function replayLostEvent(
  message: Extract<FromContainer, { type: 'replayLost' }>,
  operatorName: string,
  containerId: string,
): NewEvent {
  const what = message.asked
    ? `windows ${message.from} to ${message.through} were asked for again after a failure and are lost: the readers go on without them`
    : `the replay buffer is full: windows up to ${message.through} are dropped and could not be replayed after a failure`;
  return {
    type: 'OperatorError',
    data: {
      operatorName,
      operatorId: message.operatorId,
      containerId,
      errorMessage: `Output of ${operatorName}: ${what}. Raise limits.replayBytes, or lower CHECKPOINT_WINDOW_COUNT.`,
      logLevel: 'WARN',
    },
  };
}

/** The kept form has no members that are `undefined`. */
export function recorded(failure: Failure): NonNullable<ApplicationRecord['failure']> {
  const { log, ...rest } = failure;
  return { ...rest, ...(log ? { log: [...log] } : {}) };
}

const lastBytes = 16_384;
const lastLines = 40;

/** What the container logged last; empty when there is no log. */
export async function lastLog(applicationDirectory: string, containerId: string): Promise<string[]> {
  try {
    const file = await open(join(applicationDirectory, 'containers', containerId, 'headgate.log'));
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, lastBytes));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lastLines);
    } finally {
      await file.close();
    }
  } catch {
    return [];
  }
}
