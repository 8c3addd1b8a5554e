import { getHeapStatistics } from 'node:v8';
import { monotonicMillis } from '../model/windows.js';
import type { Heartbeat, OperatorReport } from '../protocol/protocol.js';
import type { Deployment } from './deployment.js';
import type { GcWatch } from './gc-watch.js';
import type { OperatorNode } from './node.js';
import { Publisher } from './publisher.js';
import { type OutputPort, PartitionFilter } from './stream.js';

/** Everything the engine wants to know of this container, measured now. */
export function takeHeartbeat(deployment: Deployment | undefined, gc: GcWatch): Heartbeat {
  const heap = getHeapStatistics();
  deployment?.meter.settle(deployment.nodes);
  const cpu = process.cpuUsage();
  return {
    type: 'heartbeat',
    epoch: deployment?.epoch ?? -1,
    at: monotonicMillis(),
    usedBytes: heap.used_heap_size,
    limitBytes: heap.heap_size_limit,
    gcCount: gc.count,
    gcMillis: gc.millis,
    cpuMillis: (cpu.user + cpu.system) / 1000,
    operators: deployment?.nodes.map(reportOf) ?? [],
  };
}

const publishersOf = ({ sinks }: OutputPort): Publisher[] =>
  sinks
    .map((sink) => (sink instanceof PartitionFilter ? sink.sink : sink))
    .filter((sink) => sink instanceof Publisher);

function reportOf(node: OperatorNode): OperatorReport {
  const ends = node.ends;
  node.ends = [];
  return {
    id: node.id,
    window: node.window,
    cpuMillis: node.account.settled,
    ports: [
      ...node.channels.map((channel) => ({
        name: channel.label,
        type: 'input' as const,
        tuples: channel.received,
        bytes: channel.bytes,
        queued: channel.waiting,
      })),
      ...[...node.outputs.values()].map((port) => ({
        name: port.name,
        type: 'output' as const,
        tuples: port.count,
        bytes: publishersOf(port).reduce((sum, { bytes }) => sum + bytes, 0),
        queued: 0,
      })),
    ],
    unsent: Object.fromEntries(
      [...node.outputs.values()].flatMap(publishersOf).flatMap(({ unsent }) => unsent),
    ),
    ends,
    counters: node.counters,
  };
}
