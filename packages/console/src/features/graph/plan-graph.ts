/** What of a plan makes its graph; figures that tick are no part of it. */
export interface PlanGraph {
  readonly nodes: readonly PlanNode[];
  readonly links: readonly PlanLink[];
}

/** An operator, or in the physical plan a partition of one. */
export interface PlanNode {
  /** The operator's name, or the partition's id. */
  readonly id: string;
  /** Of the operator. */
  readonly name: string;
  readonly className: string;
  readonly container?: string;
  readonly mark?: Mark;
}

/** A stream to one of its sinks. */
export interface PlanLink {
  readonly stream: string;
  readonly source: PortOf;
  readonly sink: PortOf;
  readonly mark?: Mark;
}

export interface PortOf {
  readonly id: string;
  readonly port: string;
}

/** What a draft does to something. */
export type Mark = 'added' | 'removed' | 'changed';

interface LogicalEnd {
  readonly operatorName: string;
  readonly portName: string;
}

export interface LogicalShape {
  readonly operators: readonly { readonly name: string; readonly class: string; readonly mark?: Mark }[];
  readonly streams: readonly {
    readonly name: string;
    readonly source: LogicalEnd;
    readonly sinks: readonly (LogicalEnd & { readonly mark?: Mark })[];
    readonly mark?: Mark;
  }[];
}

interface PhysicalEnd {
  readonly operatorId: string;
  readonly portName: string;
}

interface PhysicalShape {
  readonly operators: readonly {
    readonly id: string;
    readonly logicalName: string;
    readonly className: string;
    readonly container: string | null;
  }[];
  readonly streams: readonly {
    readonly logicalName: string;
    readonly source: PhysicalEnd;
    readonly sinks: readonly PhysicalEnd[];
  }[];
}

const marked = (mark: Mark | undefined) => (mark === undefined ? {} : { mark });

/** Ends that the plan does not know are left out: a drawing of the rest is better than none. */
function graphOf(nodes: readonly PlanNode[], links: readonly PlanLink[]): PlanGraph {
  const ids = new Set(nodes.map(({ id }) => id));
  return { nodes, links: links.filter(({ source, sink }) => ids.has(source.id) && ids.has(sink.id)) };
}

export const logicalGraph = ({ operators, streams }: LogicalShape): PlanGraph =>
  graphOf(
    operators.map(({ name, class: className, mark }) => ({ id: name, name, className, ...marked(mark) })),
    streams.flatMap(({ name, source, sinks, mark }) =>
      sinks.map((sink) => ({
        stream: name,
        source: { id: source.operatorName, port: source.portName },
        sink: { id: sink.operatorName, port: sink.portName },
        ...marked(sink.mark ?? mark),
      })),
    ),
  );

export const physicalGraph = ({ operators, streams }: PhysicalShape): PlanGraph =>
  graphOf(
    operators.map(({ id, logicalName, className, container }) => ({
      id,
      name: logicalName,
      className,
      ...(container === null ? {} : { container }),
    })),
    streams.flatMap(({ logicalName, source, sinks }) =>
      sinks.map((sink) => ({
        stream: logicalName,
        source: { id: source.operatorId, port: source.portName },
        sink: { id: sink.operatorId, port: sink.portName },
      })),
    ),
  );

/** By id, who it reads from directly. */
export function upstreamOf({ links }: PlanGraph): ReadonlyMap<string, readonly string[]> {
  const upstream = new Map<string, string[]>();
  for (const { source, sink } of links) {
    const known = upstream.get(sink.id);
    if (!known) upstream.set(sink.id, [source.id]);
    else if (!known.includes(source.id)) known.push(source.id);
  }
  return upstream;
}
