import * as z from 'zod';

const Usage = z.object({ user: z.number(), system: z.number() });

/**
 * Milliseconds of a processor that this thread has used. An older runtime knows them of the whole process only: that is
 * little more, since all other threads of a container wait or clean up.
 */
export function threadCpuMillis(): number {
  const { user, system } = Usage.parse(readThread?.() ?? process.cpuUsage());
  return (user + system) / 1000;
}

const readThread = threadReader();

function threadReader(): (() => unknown) | undefined {
  if (!('threadCpuUsage' in process) || typeof process.threadCpuUsage !== 'function') return undefined;
  return process.threadCpuUsage.bind(process);
}
