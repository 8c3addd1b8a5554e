import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Agent, ContainerEntry, Slot } from '../layout/physical-state.js';
import { containerId } from '../model/ids.js';
import type { LoggerTarget } from '../model/log-levels.js';
import { monotonicMillis } from '../model/windows.js';
import type { PackageModule } from '../operators/registry.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import { programFile } from '../programs/programs.js';
import type { FromContainer, ToContainer } from '../protocol/protocol.js';
import type { LocalClusterSettings } from '../settings/options.js';
import { type Exit, startContainer } from './agent.js';
import { type ContainerEnds, createContainerEnds } from './container-ends.js';
import { createContainerList } from './container-list.js';
import { createHeartbeatWatch } from './heartbeat-watch.js';
import type { Publish, Subscribe } from './topic-feeds.js';

export interface ContainersDeps {
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
export interface Containers extends Omit<ContainerEnds, 'endAll'> {
  /** Those with a process. */
  readonly occupied: ReadonlySet<Slot>;
  /** In the order of their start; of those that have ended only the newest. */
  readonly entries: readonly ContainerEntry[];
  /** Fills the slot when it is empty. */
  start(slot: Slot, loggers: readonly LoggerTarget[]): void;
  tell(order: ToContainer): void;
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
  const { endAll, ...ends } = createContainerEnds({
    applicationId,
    occupied,
    entryOf: list.get,
    stopMillis: settings.limits.stopMillis,
  });
  const watch = createHeartbeatWatch({ attributes, occupied, kill: ends.kill });

  function start(slot: Slot, loggers: readonly LoggerTarget[]): void {
    if (slot.agent) return;
    const id = containerId(applicationId, ++number);
    const logDirectory = logDirectoryOf(id);
    const agent = startContainer({
      containerId: id,
      program: programFile(settings.directory, 'container'),
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
    fill(slot, agent);
    occupied.add(slot);
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

  return {
    occupied,
    entries: list.entries,
    start,
    tell(order) {
      for (const slot of occupied) slot.agent?.send(order);
    },
    ...ends,
    watch: watch.start,
    end(how) {
      watch.stop();
      return endAll(how);
    },
  };
}

/** Nothing is known of the process yet. */
function fill(slot: Slot, agent: Agent): void {
  slot.agent = agent;
  slot.ready = false;
  slot.killReason = undefined;
  slot.exitReport = undefined;
  slot.heardAt = monotonicMillis();
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
