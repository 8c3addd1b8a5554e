import { InputOperator, type OperatorClass, type Tuple } from '../../../packages/operators/operator.js';
import { type Harness, startOperator } from '../../helpers/operator-harness.js';

// A JSON application with all operators in this process: every stream is a call.

interface End {
  readonly operatorName: string;
  readonly portName: string;
}

interface Application {
  readonly operators: readonly {
    readonly name: string;
    readonly class: string;
    readonly properties?: Readonly<Record<string, unknown>> | undefined;
  }[];
  readonly streams: readonly { readonly source: End; readonly sinks: readonly End[] }[];
}

export interface Pipeline {
  readonly operators: ReadonlyMap<string, Harness>;
  /** One streaming window: the inputs are asked once. */
  window(): void;
  stop(): Promise<void>;
}

export async function startPipeline(
  application: Application,
  classes: readonly OperatorClass[],
): Promise<Pipeline> {
  const typeOf = (name: string): OperatorClass => {
    const found = application.operators.find((operator) => operator.name === name);
    const type = classes.find(({ className }) => className === found?.class);
    if (!type) throw new Error(`operator ${name} has no class`);
    return type;
  };
  checkPorts(application, typeOf);
  const operators = new Map<string, Harness>();
  const deliver = (operatorName: string) => (portName: string, tuple: Tuple) => {
    for (const { source, sinks } of application.streams) {
      if (source.operatorName !== operatorName || source.portName !== portName) continue;
      for (const sink of sinks) operators.get(sink.operatorName)?.operator.process(sink.portName, tuple);
    }
  };
  for (const { name, properties = {} } of inOrder(application)) {
    operators.set(name, await startOperator(typeOf(name), properties, { name, onEmit: deliver(name) }));
  }
  return {
    operators,
    window() {
      for (const harness of operators.values()) harness.begin();
      for (const harness of operators.values()) {
        if (harness.operator instanceof InputOperator) harness.ask(1_000);
        harness.end();
      }
    },
    async stop() {
      for (const harness of operators.values()) await harness.stop();
    },
  };
}

function checkPorts({ operators, streams }: Application, typeOf: (name: string) => OperatorClass): void {
  for (const { source, sinks } of streams) {
    if (!typeOf(source.operatorName).outputs[source.portName]) throw new Error(`no port ${source.portName}`);
    for (const sink of sinks) {
      if (!typeOf(sink.operatorName).inputs[sink.portName]) throw new Error(`no port ${sink.portName}`);
    }
  }
  for (const { name } of operators) {
    for (const [port, { optional }] of Object.entries(typeOf(name).inputs)) {
      const connected = streams.filter(({ sinks }) =>
        sinks.some((sink) => sink.operatorName === name && sink.portName === port),
      );
      if (connected.length > 1) throw new Error(`${name}.${port} has two streams`);
      if (connected.length === 0 && !optional) throw new Error(`${name}.${port} has no stream`);
    }
  }
}

/** Every operator after those it reads from. */
function inOrder({ operators, streams }: Application) {
  const placed: Application['operators'][number][] = [];
  const isPlaced = (name: string) => placed.some((operator) => operator.name === name);
  while (placed.length < operators.length) {
    const next = operators.find(
      ({ name }) =>
        !isPlaced(name) &&
        streams.every(
          ({ source, sinks }) =>
            isPlaced(source.operatorName) || sinks.every(({ operatorName }) => operatorName !== name),
        ),
    );
    if (!next) throw new Error('the streams go in a circle');
    placed.push(next);
  }
  return placed;
}
