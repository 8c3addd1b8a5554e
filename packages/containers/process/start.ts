import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Conflict, type ContainerSpec } from 'headgate/driver-kit';
import type { Command } from './command.js';
import { execCommand } from './exec-command.js';
import type { ProcessLimits } from './options.js';
import { freePorts } from './ports.js';
import { findProgram, type Places } from './program.js';
import type { RunOrder, RunRecord } from './record.js';
import { endSupervised, presentRun, startSupervised } from './supervision.js';

/** Starts the program of a service, with its `exec`; one that does not come up leaves nothing running. */
export async function startProgram(
  places: Places,
  spec: ContainerSpec,
  given: {
    readonly command: Command;
    /** For every program. */
    readonly env: Readonly<Record<string, string>>;
    readonly limits: ProcessLimits;
    readonly execPath: string;
    readonly abort: AbortSignal | undefined;
  },
): Promise<RunRecord> {
  const { command, limits, execPath, abort } = given;
  const running = await presentRun(places);
  if (running && running.state !== 'ended')
    throw new Conflict('CONTAINER_RUNNING', `${spec.name} runs already`);
  const ports = await freePorts(command.ports);
  const env = environmentOf(given.env, places, command, ports);
  const memoryBytes = command.memoryBytes ?? limits.memoryBytes;
  const order: RunOrder = {
    id: randomBytes(12).toString('hex'),
    revision: spec.revision,
    program: await findProgram(places, command.program, env['PATH'] ?? ''),
    args: command.args,
    cwd: join(places.program, command.workdir),
    env,
    ports,
    ...(Number.isFinite(memoryBytes) ? { memoryBytes } : {}),
    logBytes: limits.logBytes,
    logFiles: limits.logFiles,
  };
  const run = await startSupervised(places, order, { execPath, abort });
  try {
    if (spec.exec && run.state !== 'ended')
      await execCommand(places, spec.exec, {
        cwd: order.cwd,
        env,
        timeoutMillis: limits.execMillis,
        signal: abort,
      });
  } catch (error) {
    await endSupervised(places, 1000, undefined);
    throw error;
  }
  return (await presentRun(places)) ?? run;
}

/** Nothing of the gateway's own environment goes along. */
function environmentOf(
  env: Readonly<Record<string, string>>,
  places: Places,
  command: Command,
  ports: readonly number[],
): Record<string, string> {
  const [port] = ports;
  return {
    ...env,
    HOME: places.data,
    SERVICE_DATA: places.data,
    ...(port === undefined ? {} : { PORT: String(port), PORTS: ports.join(',') }),
    ...command.env,
  };
}
