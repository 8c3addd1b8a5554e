import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import type { Container } from 'headgate/driver-kit';
import { logsUrl } from 'headgate/driver-kit';
import type { ContainerEntry } from '../layout/physical-state.js';
import { containerId } from '../model/ids.js';
import type { HostGc } from '../processes/host-gc.js';
import type { ViewedApplication, ViewedState } from './viewed-application.js';

const mega = 1048576;

/** The host process in the part of the application master, then the containers, oldest first. */
export function containerViews(application: ViewedApplication, directory: string, gc: HostGc): Container[] {
  return [
    masterView(application.state, gc),
    ...application.containers.map((entry) => containerView(application.state, entry, directory)),
  ];
}

function masterView({ record }: ViewedState, gc: HostGc): Container {
  const heap = getHeapStatistics();
  return {
    id: containerId(record.id, 1),
    host: hostname(),
    state: 'ACTIVE',
    jvmName: `${process.pid}@${hostname()}`,
    lastHeartbeat: -1,
    numOperators: 0,
    operators: {},
    memoryMBAllocated: Math.round(heap.heap_size_limit / mega),
    memoryMBFree: Math.round((heap.heap_size_limit - heap.used_heap_size) / mega),
    gcCollectionTime: Math.round(gc.millis),
    gcCollectionCount: gc.count,
    containerLogsUrl: logsUrl(record.id, containerId(record.id, 1)),
    rawContainerLogsUrl: '',
    startedTime: record.startedTime,
    finishedTime: -1,
    containerType: 'APP_MASTER',
  };
}

function containerView({ record, layout }: ViewedState, entry: ContainerEntry, directory: string): Container {
  const { agent, slot } = entry;
  const isLive = entry.finishedTime < 0;
  const deployed = isLive && slot.agent === agent ? layout.operatorsOn(slot) : [];
  const used = agent.heartbeat?.usedBytes ?? 0;
  return {
    id: entry.id,
    host: hostname(),
    state: isLive ? (entry.active ? 'ACTIVE' : 'ALLOCATED') : 'KILLED',
    jvmName: `${entry.pid}@${hostname()}`,
    lastHeartbeat: entry.lastHeartbeat,
    numOperators: deployed.length,
    operators: Object.fromEntries(deployed.map(({ operator }) => [operator.id, operator.name])),
    memoryMBAllocated: entry.memoryMB,
    memoryMBFree: Math.max(0, Math.round(entry.memoryMB - used / mega)),
    gcCollectionTime: Math.round(agent.heartbeat?.gcMillis ?? 0),
    gcCollectionCount: agent.heartbeat?.gcCount ?? 0,
    containerLogsUrl: logsUrl(record.id, entry.id),
    rawContainerLogsUrl: pathToFileURL(join(directory, 'containers', entry.id)).href,
    startedTime: entry.startedTime,
    finishedTime: entry.finishedTime,
    containerType: 'STREAMING',
  };
}
