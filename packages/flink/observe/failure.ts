import type { Failure } from 'headgate/driver-kit';
import type { FlinkException } from '../rest/history-shapes.js';

/** What the newest exception of a job says; its events name operator and container where it is one of a task. */
export function failureOf([newest]: readonly FlinkException[]): Failure | undefined {
  if (!newest) return undefined;
  const [message = ''] = newest.stacktrace.split('\n');
  return {
    code: 'JOB_FAILED',
    message: message === '' ? newest.exceptionName : message,
    stackTrace: newest.stacktrace,
    ...(newest.timestamp === undefined ? {} : { at: newest.timestamp }),
    ...(newest.taskManagerId ? { containerId: newest.taskManagerId } : {}),
  };
}
