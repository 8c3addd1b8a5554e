import { Channel } from './channel.js';
import type { InputChannel, OperatorNode } from './node.js';
import { Publisher } from './publisher.js';
import { type Gate, type OutputPort, PartitionFilter, type Sink } from './stream.js';

/** What can ask a source to wait: everything that its tuples reach without leaving the container. */
export function gatesOf(nodes: readonly OperatorNode[], start: readonly Sink[]): readonly Gate[] {
  const owner = new Map<InputChannel, OperatorNode>(
    nodes.flatMap((node) => node.channels.map((channel) => [channel, node] as const)),
  );
  const gates = new Set<Gate>();
  const visit = (sink: Sink) => {
    const target = sink instanceof PartitionFilter ? sink.sink : sink;
    if (target instanceof Publisher) gates.add(target);
    if (!(target instanceof Channel) || gates.has(target)) return;
    gates.add(target);
    const ports = owner.get(target)?.outputs.values() ?? [];
    for (const port of ports) visitPort(port);
  };
  const visitPort = (port: OutputPort) => {
    for (const sink of port.sinks) visit(sink);
  };
  for (const sink of start) visit(sink);
  return [...gates];
}
