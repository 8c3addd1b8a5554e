import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Conflict, NotFound } from '../../../../lib/driver-kit.js';
import { containerId } from '../ids.js';
import type { LocalClusterSettings } from '../options.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import type { PackageModule } from '../registry.js';
import type { ContainerEntry, Slot } from '../rollout/physical-state.js';
import { monotonicMillis } from '../windows.js';
import { type Agent, type Exit, startContainer } from './agent.js';
import type { LoggerTarget } from './log-levels.js';
import type { FromContainer, ToContainer } from './protocol.js';
import type { Subscribe } from './topic-feeds.js';

interface ContainersDeps {
  readonly applicationId: string;
  readonly directory: string;
  readonly attributes: ApplicationSettings;
  readonly settings: LocalClusterSettings;
  readonly packageModules: readonly PackageModule[];
  readonly now: () => number;
  readonly subscribe: Subscribe;
  readonly event: (type: string, data: Readonly<Record<string, string>>) => void;
  readonly onMessage: (slot: Slot, message: FromContainer) => void;
  /** The slot is empty again. */
  readonly onExit: (slot: Slot, containerId: string, exit: Exit) => void;
}

/** The processes of one application, of which each slot has at most one. */
export interface Containers {
  /** Those with a process. */
  readonly occupied: ReadonlySet<Slot>;
  /** In the order of their start; of those that have ended only the newest. */
  readonly entries: readonly ContainerEntry[];
  /** Fills the slot when it is empty. */
  start(slot: Slot, loggers: readonly LoggerTarget[]): void;
  tell(order: ToContainer): void;
  kill(slot: Slot, reason: NonNullable<Slot['killReason']>): void;
  /** Nothing runs there any more: its process ends by itself. */
  release(slot: Slot): void;
  /** Nothing will run there. Resolves when its process has ended. */
  discard(slot: Slot): Promise<void>;
  /** Throws `NotFound`, or `Conflict` for one that has ended and for the application master. */
  killOnRequest(id: string): void;
  /** From now on those that are silent for too long are killed. */
  watch(): void;
  /** `stop` gives them `limits.stopMillis` to end by themselves. Resolves when all have ended. */
  end(how: 'stop' | 'kill'): Promise<void>;
}

/** A watch that comes later than this tells that the host itself was held up. */
const heldUpMillis = 5000;

export function createContainers(deps: ContainersDeps): Containers {
  const { applicationId, attributes, settings } = deps;
  const occupied = new Set<Slot>();
  const entries: ContainerEntry[] = [];
  /** The first number belongs to the application master. */
  let number = 1;
  let watching: NodeJS.Timeout | undefined;
  let watchedAt = monotonicMillis();

  const logDirectoryOf = (id: string) => join(deps.directory, 'containers', id);

  function start(slot: Slot, loggers: readonly LoggerTarget[]): void {
    if (slot.agent) return;
    const id = containerId(applicationId, ++number);
    const logDirectory = logDirectoryOf(id);
    const agent = startContainer({
      containerId: id,
      execPath: settings.execPath,
      execArgv: settings.execArgv,
      env: settings.env,
      memoryMB: slot.memoryMB,
      logDirectory,
      subscribe: deps.subscribe,
      onMessage: (message) => hear(slot, agent, message),
      onExit: (exit) => ended(slot, agent, exit),
    });
    slot.agent = agent;
    occupied.add(slot);
    slot.ready = false;
    slot.killReason = undefined;
    slot.exitReport = undefined;
    slot.heardAt = monotonicMillis();
    list(slot, agent);
    agent.send({
      type: 'init',
      applicationId,
      containerId: id,
      modules: settings.modules,
      packageModules: deps.packageModules,
      access: settings.access,
      logDirectory,
      checkpointDirectory: join(deps.directory, 'checkpoints'),
      address: slot.address,
      logFileBytes: settings.limits.logFileBytes,
      logFiles: settings.limits.logFiles,
      loggers: [...loggers],
      heartbeatMillis: attributes.HEARTBEAT_INTERVAL_MILLIS,
      heapLimitMB: slot.memoryMB,
    });
    deps.event('StartContainer', { containerId: id, containerNodeId: hostname() });
  }

  function list(slot: Slot, agent: Agent): void {
    entries.push({
      id: agent.containerId,
      pid: agent.pid,
      memoryMB: slot.memoryMB,
      slot,
      agent,
      startedTime: deps.now(),
      finishedTime: -1,
      lastHeartbeat: -1,
      active: false,
    });
    if (entries.length <= settings.limits.keptContainers) return;
    const oldest = entries.findIndex(({ finishedTime }) => finishedTime > 0);
    if (oldest < 0) return;
    // Nobody can ask for its logs any more. What can't be deleted goes with the application.
    const forgotten = entries.splice(oldest, 1);
    for (const { id } of forgotten) rm(logDirectoryOf(id), { recursive: true, force: true }).catch(() => {});
  }

  const entryOf = (agent: Agent) => entries.find(({ id }) => id === agent.containerId);

  function hear(slot: Slot, agent: Agent, message: FromContainer): void {
    if (slot.agent !== agent) return;
    slot.heardAt = monotonicMillis();
    if (message.type === 'failed') slot.exitReport = message;
    if (message.type === 'heartbeat') {
      agent.heartbeat = message;
      const entry = entryOf(agent);
      if (entry) entry.lastHeartbeat = deps.now();
    }
    deps.onMessage(slot, message);
  }

  function ended(slot: Slot, agent: Agent, exit: Exit): void {
    const entry = entryOf(agent);
    if (entry) {
      entry.finishedTime = deps.now();
      entry.active = false;
    }
    if (slot.agent !== agent) return;
    slot.agent = undefined;
    slot.ready = false;
    occupied.delete(slot);
    rmSync(slot.address, { force: true });
    deps.onExit(slot, agent.containerId, exit);
  }

  function kill(slot: Slot, reason: NonNullable<Slot['killReason']>): void {
    slot.killReason ??= reason;
    slot.agent?.kill();
  }

  function checkHeartbeats(): void {
    const now = monotonicMillis();
    const isLate = now - watchedAt > heldUpMillis;
    watchedAt = now;
    for (const slot of occupied) {
      // Everybody gets a fresh start.
      if (isLate) slot.heardAt = now;
      const silent = now - slot.heardAt;
      if (!slot.agent || slot.killReason || silent < timeoutsWith(slot)) continue;
      kill(slot, {
        code: 'HEARTBEAT_TIMEOUT',
        message: `No heartbeat for ${Math.round(silent)} ms: an operator does not return, or the machine is overloaded`,
        isFailure: true,
      });
    }
  }

  /** A process that is still starting can't beat yet: on a busy machine that takes seconds. */
  const timeoutsWith = ({ ready }: Slot): number =>
    ready
      ? attributes.HEARTBEAT_TIMEOUT_MILLIS
      : Math.max(attributes.HEARTBEAT_TIMEOUT_MILLIS, attributes.DEPLOY_TIMEOUT_MILLIS);

  function stop(agent: Agent): void {
    agent.send({ type: 'stop' });
    const timer = setTimeout(() => agent.kill(), settings.limits.stopMillis);
    agent.exited.then(() => clearTimeout(timer));
  }

  return {
    occupied,
    entries,
    start,
    tell(order) {
      for (const slot of occupied) slot.agent?.send(order);
    },
    kill,
    release(slot) {
      slot.killReason ??= { code: 'REMOVED', message: 'Its operators left the plan', isFailure: false };
      if (slot.agent) stop(slot.agent);
    },
    async discard(slot) {
      const { agent } = slot;
      kill(slot, { code: 'NOT_NEEDED', message: 'The change of the plan was refused', isFailure: false });
      await agent?.exited;
    },
    killOnRequest(id) {
      const entry = entries.find((container) => container.id === id);
      if (id === containerId(applicationId, 1))
        throw new Conflict(`The container ${id} is the application master; kill the application instead`);
      if (!entry) throw new NotFound('container', id);
      if (entry.finishedTime > 0) throw new Conflict(`The container ${id} has ended`);
      kill(entry.slot, { code: 'KILLED_BY_USER', message: 'Killed on request', isFailure: false });
    },
    watch() {
      watching = setInterval(checkHeartbeats, Math.min(1000, attributes.HEARTBEAT_INTERVAL_MILLIS));
    },
    async end(how) {
      clearInterval(watching);
      const agents = [...occupied].flatMap(({ agent }) => agent ?? []);
      for (const agent of agents) how === 'stop' ? stop(agent) : agent.kill();
      await Promise.all(agents.map(({ exited }) => exited));
    },
  };
}
