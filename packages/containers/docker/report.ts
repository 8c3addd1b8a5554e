import type { ContainerReport } from 'headgate/driver-kit';
import * as z from 'zod';
import type { RuntimeAddress } from './address.js';
import { labels } from './labels.js';

/** One of `GET /containers/json`. */
export const Listed = z.object({
  Id: z.string(),
  Created: z.number(),
  State: z.string(),
  Labels: z.record(z.string(), z.string()).nullish(),
});
export type Listed = z.output<typeof Listed>;

const Binding = z.object({ HostIp: z.string().optional(), HostPort: z.string() });
/** `GET /containers/{id}/json`. */
export const Inspected = z.object({
  Id: z.string(),
  State: z.object({
    Status: z.string(),
    OOMKilled: z.boolean().nullish(),
    ExitCode: z.number(),
    Error: z.string().nullish(),
    StartedAt: z.string(),
    Health: z.object({ Status: z.string() }).nullish(),
  }),
  HostConfig: z.object({ Memory: z.number().nullish(), NetworkMode: z.string().nullish() }),
  NetworkSettings: z.object({
    IPAddress: z.string().nullish(),
    Ports: z.record(z.string(), z.array(Binding).nullish()).nullish(),
    Networks: z.record(z.string(), z.object({ IPAddress: z.string().nullish() })).nullish(),
  }),
});
export type Inspected = z.output<typeof Inspected>;

interface Seen {
  readonly listed: Listed;
  readonly inspected: Inspected;
  readonly memoryBytes?: number | undefined;
  /** Of an ended one: what it printed last. */
  readonly lastLine?: string | undefined;
}

export const isLiving = (state: string): boolean =>
  ['running', 'paused', 'restarting', 'stopping'].includes(state);

/** Made, and never started: of a start that was given up. */
export const isHalfMade = (state: string): boolean =>
  ['created', 'configured', 'initialized'].includes(state);

export function reportOf(seen: Seen, address: RuntimeAddress): ContainerReport {
  const { listed, inspected, memoryBytes } = seen;
  const { State } = inspected;
  const lives = isLiving(State.Status);
  const metadata = lives ? metadataOf(inspected, address) : {};
  return {
    id: inspected.Id,
    name: listed.Labels?.[labels.service] ?? '',
    revision: listed.Labels?.[labels.revision] ?? '',
    state: lives ? (State.Health?.Status === 'starting' ? 'starting' : 'running') : 'ended',
    startedTime: startedTime(seen),
    ...(lives ? {} : { reason: reasonOf(seen) }),
    ...(lives && memoryBytes !== undefined ? { memoryMB: memoryBytes / 2 ** 20 } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** Of one that the runtime lists, and does not describe as it should: the list tells enough to know what lives. */
export const reportOfListed = ({ Id, Created, State, Labels }: Listed): ContainerReport => ({
  id: Id,
  name: Labels?.[labels.service] ?? '',
  revision: Labels?.[labels.revision] ?? '',
  startedTime: Created * 1000,
  ...(isLiving(State)
    ? { state: 'running' }
    : { state: 'ended', reason: 'It ended, and the container runtime does not tell how' }),
});

function startedTime({ listed, inspected }: Seen): number {
  const started = Date.parse(inspected.State.StartedAt);
  return started > 0 ? started : listed.Created * 1000;
}

function reasonOf({ inspected, lastLine }: Seen): string {
  const { ExitCode, Error: failure, OOMKilled } = inspected.State;
  const limit = inspected.HostConfig.Memory ?? 0;
  if (OOMKilled)
    return `It was ended because it used more memory than it may${limit > 0 ? ` (${limit / 2 ** 20} MB)` : ''}`;
  const how = ExitCode > 128 && ExitCode < 160 ? `by signal ${ExitCode - 128}` : `with code ${ExitCode}`;
  const why = failure || lastLine || '';
  return `It ended ${how}${why === '' ? '' : `: ${why}`}`;
}

/** `port`, `port.<n>` and `ip`, for variables of services. */
function metadataOf(
  { NetworkSettings, HostConfig }: Inspected,
  address: RuntimeAddress,
): Record<string, string> {
  const ports = Object.entries(NetworkSettings.Ports ?? {})
    .flatMap(([inside, bindings]) => {
      const [binding] = bindings ?? [];
      return binding && binding.HostPort !== '' ? [{ inside: Number.parseInt(inside, 10), binding }] : [];
    })
    .sort((a, b) => a.inside - b.inside);
  const [first] = ports;
  if (first) {
    const { HostIp = '' } = first.binding;
    return {
      ip: ['', '0.0.0.0', '::', '127.0.0.1'].includes(HostIp) ? address.machine : HostIp,
      port: first.binding.HostPort,
      ...Object.fromEntries(ports.map(({ inside, binding }) => [`port.${inside}`, binding.HostPort])),
    };
  }
  if (HostConfig.NetworkMode === 'host') return { ip: address.machine };
  const own =
    NetworkSettings.IPAddress ||
    Object.values(NetworkSettings.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  return address.isLocal && own ? { ip: own } : {};
}
