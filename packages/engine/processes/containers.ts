import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Conflict, NotFound } from 'headgate/driver-kit';
import { containerId } from '../ids.js';
import type { LocalClusterSettings } from '../options.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import type { PackageModule } from '../registry.js';
import type { ContainerEntry, Slot } from '../rollout/physical-state.js';
import { monotonicMillis } from '../windows.js';
import { type Agent, type Exit, startContainer } from './agent.js';
import { createContainerList } from './container-list.js';
import { createHeartbeatWatch } from './heartbeat-watch.js';
import type { LoggerTarget } from './log-levels.js';
import type { FromContainer, ToContainer } from './protocol.js';
import type { Publish, Subscribe } from './topic-feeds.js';

interface ContainersDeps {
  readonly applicationId: string;
  readonly directory: string;
  readonly attributes: ApplicationSettings;
  readonly settings: LocalClusterSettings;
  readonly packageModules: readonly PackageModule[];
  readonly now: () => number;
  readonly publish: Publish;
  readonly subscribe: Subscribe;
  readonly event: (type: string, data: Readonly<Record<string, string>>) => void;
  readonly onMessage: (slot: Slot, message: FromContainer) => void;
  /** The slot is empty again. */
  readonly onExit: (slot: Slot, containerId: string, exit: Exit) => void;
}

type InitOrder = Extract<ToContainer, { type: 'init' }>;

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

export function createContainers(deps: ContainersDeps): Containers {
  const { applicationId, attributes, settings } = deps;
  const occupied = new Set<Slot>();
  /** The first number belongs to the application master. */
  let number = 1;

  const logDirectoryOf = (id: string) => join(deps.directory, 'containers', id);
  const list = createContainerList({
    logDirectoryOf,
    maxContainers: settings.limits.keptContainers,
    now: deps.now,
  });
  const watch = createHeartbeatWatch({ attributes, occupied, kill });

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
      publish: deps.publish,
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
    list.started(slot, agent);
    agent.send(initOrder(slot, { containerId: id, logDirectory, loggers: [...loggers] }, deps));
    deps.event('StartContainer', { containerId: id, containerNodeId: hostname() });
  }

  function hear(slot: Slot, agent: Agent, message: FromContainer): void {
    if (slot.agent !== agent) return;
    slot.heardAt = monotonicMillis();
    if (message.type === 'failed') slot.exitReport = message;
    if (message.type === 'heartbeat') {
      agent.heartbeat = message;
      list.beat(agent);
    }
    deps.onMessage(slot, message);
  }

  function ended(slot: Slot, agent: Agent, exit: Exit): void {
    list.ended(agent);
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

  function stop(agent: Agent): void {
    agent.send({ type: 'stop' });
    const timer = setTimeout(() => agent.kill(), settings.limits.stopMillis);
    agent.exited.then(() => clearTimeout(timer));
  }

  return {
    occupied,
    entries: list.entries,
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
      const entry = list.get(id);
      if (id === containerId(applicationId, 1))
        throw new Conflict(
          'MASTER_CONTAINER',
          `The container ${id} is the application master; kill the application instead`,
        );
      if (!entry) throw new NotFound('container', id);
      if (entry.finishedTime > 0)
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${id} has ended`);
      kill(entry.slot, { code: 'KILLED_BY_USER', message: 'Killed on request', isFailure: false });
    },
    watch: watch.start,
    async end(how) {
      watch.stop();
      const agents = [...occupied].flatMap(({ agent }) => agent ?? []);
      for (const agent of agents) how === 'stop' ? stop(agent) : agent.kill();
      await Promise.all(agents.map(({ exited }) => exited));
    },
  };
}

/** What a container is told first: all that it needs before it is told of operators. */
function initOrder(
  slot: Slot,
  own: Pick<InitOrder, 'containerId' | 'logDirectory' | 'loggers'>,
  { applicationId, directory, attributes, settings, packageModules }: ContainersDeps,
): InitOrder {
  return {
    type: 'init',
    ...own,
    applicationId,
    modules: settings.modules,
    packageModules,
    access: settings.access,
    checkpointDirectory: join(directory, 'checkpoints'),
    address: slot.address,
    logFileBytes: settings.limits.logFileBytes,
    logFiles: settings.limits.logFiles,
    heartbeatMillis: attributes.HEARTBEAT_INTERVAL_MILLIS,
    heapLimitMB: slot.memoryMB,
  };
}
