import type { ContainerReport } from 'headgate/driver-kit';
import type { RunRecord } from './record.js';

/** What the gateway is told of a run. `used`: bytes of memory, by the leader of the group. */
export const reportOf = (
  name: string,
  run: RunRecord,
  used: ReadonlyMap<number, number>,
): ContainerReport => {
  const bytes = run.program && run.state !== 'ended' ? used.get(run.program.pid) : undefined;
  const [port] = run.ports;
  return {
    id: run.id,
    name,
    revision: run.revision,
    state: run.state,
    startedTime: run.startedTime,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    ...(bytes === undefined ? {} : { memoryMB: Math.round(bytes / 1024 / 1024) }),
    metadata: { ip: '127.0.0.1', ...(port === undefined ? {} : { port: String(port) }) },
  };
};
