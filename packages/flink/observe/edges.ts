import type { PlanNode } from '../rest/job-shapes.js';

/** One edge of the job graph, between vertices by their places. */
export interface Edge {
  /** Of the stream: it names both ends. */
  readonly name: string;
  readonly source: number;
  readonly sink: number;
  /** Flink has no ports: each end of an edge is one. */
  readonly outputPort: string;
  readonly inputPort: string;
  /** `HASH`, `FORWARD`, `REBALANCE`. */
  readonly shipStrategy: string;
  /** `pipelined_bounded`, `blocking`; empty: it is not decided yet. */
  readonly exchange: string;
}

/** `vertices`: in their order, with the names that they have here. Edges of what is no vertex are left out. */
export function edgesOf(
  nodes: readonly PlanNode[],
  vertices: readonly { readonly id: string; readonly name: string }[],
): Edge[] {
  const places = new Map(vertices.map(({ id }, index) => [id, index]));
  const outputs = new Map<number, number>();
  const names = new Set<string>();
  return nodes.flatMap(({ id, inputs }) =>
    inputs.flatMap((input, order) => {
      const [source, sink] = [places.get(input.id), places.get(id)];
      if (source === undefined || sink === undefined) return [];
      const output = outputs.get(source) ?? 0;
      outputs.set(source, output + 1);
      const name = freeName(`${vertices[source]?.name} -> ${vertices[sink]?.name}`, names);
      return {
        name,
        source,
        sink,
        outputPort: `out${output}`,
        inputPort: `in${order}`,
        shipStrategy: input.ship_strategy,
        exchange: input.exchange,
      };
    }),
  );
}

/** `name`, or with a number behind it when that is taken; it is taken afterwards. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} (${number})`;
  taken.add(free);
  return free;
}

/** Whether each subtask is connected with its share of the other side, and not with all of it. */
const pointwise = new Set(['FORWARD', 'RESCALE', 'FORWARD_FOR_CONSECUTIVE_HASH', 'FORWARD_FOR_UNSPECIFIED']);

/** The subtasks that a subtask of the source sends to, of `sinks` there are. As Flink itself shares them out. */
export function sinksOf(shipStrategy: string, subtask: number, sources: number, sinks: number): number[] {
  const all = Array.from({ length: sinks }, (_, index) => index);
  if (!pointwise.has(shipStrategy)) return all;
  if (sources >= sinks)
    return all.filter(
      (sink) =>
        Math.floor((sink * sources) / sinks) <= subtask &&
        subtask < Math.floor(((sink + 1) * sources) / sinks),
    );
  return all.filter((sink) => Math.floor((sink * sources) / sinks) === subtask);
}
