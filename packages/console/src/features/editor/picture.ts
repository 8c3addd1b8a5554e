import {
  type Definition,
  type End,
  type Operator,
  operatorsIn,
  type Stream,
  streamsIn,
} from './definition.js';
import type { Port, PortsOf } from './port-types.js';

/** An operator as it is drawn. */
export interface Shape {
  readonly operator: Operator;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly width: number;
  readonly height: number;
  readonly isKnown: boolean;
}

export interface Line {
  readonly id: string;
  readonly stream: string;
  readonly source: End;
  readonly sink: End;
}

const width = 200;
const headHeight = 46;
const portHeight = 20;

/** Ports of the class, and whatever streams name besides: what is wrong has to be seen, too. */
export function shapesOf(definition: Definition, portsOf: PortsOf): readonly Shape[] {
  const streams = streamsIn(definition);
  const seen = new Set<string>();
  return operatorsIn(definition).flatMap((operator) => {
    if (seen.has(operator.name)) return [];
    seen.add(operator.name);
    const known = portsOf(operator.name);
    const inputs = withUsed(
      known?.inputPorts,
      operator.name,
      streams.flatMap(({ sinks }) => sinks),
    );
    const outputs = withUsed(
      known?.outputPorts,
      operator.name,
      streams.map(({ source }) => source),
    );
    const height = headHeight + portHeight * Math.max(inputs.length, outputs.length, 1);
    return [{ operator, inputs, outputs, width, height, isKnown: known !== undefined }];
  });
}

function withUsed(ports: readonly Port[] = [], operatorName: string, ends: readonly End[]): readonly Port[] {
  const names = new Set(ports.map(({ name }) => name));
  const others = ends.filter((end) => end.operatorName === operatorName && !names.has(end.portName));
  return [
    ...ports,
    ...[...new Set(others.map(({ portName }) => portName))].map((name) => ({ name, optional: true })),
  ];
}

export const linesOf = (definition: Definition): readonly Line[] =>
  streamsIn(definition).flatMap(({ name, source, sinks }: Stream) =>
    sinks.map((sink) => ({
      id: JSON.stringify([name, sink.operatorName, sink.portName]),
      stream: name,
      source,
      sink,
    })),
  );
