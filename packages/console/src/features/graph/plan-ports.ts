import type { PlanRequest } from './plan-draft.js';
import type { PlanEnd, PlanShape } from './plan-shape.js';

interface ClassPorts {
  readonly inputPorts: readonly { readonly name: string }[];
  readonly outputPorts: readonly { readonly name: string }[];
}

/** As its class says, and those that streams begin at: who knows no classes still knows the plan. */
export function outputsOf(
  { streams }: PlanShape,
  operator: string,
  type: ClassPorts | undefined,
): readonly string[] {
  const used = streams
    .filter(({ source }) => source.operatorName === operator)
    .map(({ source }) => source.portName);
  return [...new Set([...(type?.outputPorts.map(({ name }) => name) ?? []), ...used])];
}

/** A port reads one stream. */
export function freeInputs(
  { streams }: PlanShape,
  operator: string,
  type: ClassPorts | undefined,
): readonly string[] {
  const taken = new Set(
    streams.flatMap(({ sinks }) =>
      sinks.filter(({ operatorName }) => operatorName === operator).map(({ portName }) => portName),
    ),
  );
  return type?.inputPorts.map(({ name }) => name).filter((name) => !taken.has(name)) ?? [];
}

/** The step that joins two ports. A port feeds one stream, so that a second reader joins it. */
export function connection(plan: PlanShape, source: PlanEnd, sink: PlanEnd): PlanRequest {
  const sinkPart = { sinkOperatorName: sink.operatorName, sinkOperatorPortName: sink.portName };
  const there = plan.streams.find(
    (stream) =>
      stream.source.operatorName === source.operatorName && stream.source.portName === source.portName,
  );
  if (there) return { requestType: 'AddStreamSinkRequest', streamName: there.name, ...sinkPart };
  return {
    requestType: 'CreateStreamRequest',
    streamName: freeName(plan, `${source.operatorName}-${sink.operatorName}`),
    sourceOperatorName: source.operatorName,
    sourceOperatorPortName: source.portName,
    ...sinkPart,
  };
}

/** Names of streams hold no dots, at most 128 characters, and are given once. */
function freeName({ streams }: PlanShape, wanted: string): string {
  const base = [...wanted.replaceAll('.', '-')].slice(0, 100).join('');
  const taken = new Set(streams.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
