import type { ChangeRequest } from 'headgate/driver-kit';

// The engine answers a change of the plan after three seconds, done or not, and does it in one go: first on a copy, then
// on the plan that it shows. So the plan tells how a slower one ended.

interface End {
  readonly operatorName: string;
  readonly portName: string;
}

export interface Plan {
  readonly operators: readonly { readonly name: string }[];
  readonly streams: readonly {
    readonly name: string;
    readonly source: End;
    readonly sinks: readonly End[];
  }[];
}

/** What a plan that was changed by these requests shows, and what it shows no more. */
export type Outcome = ReadonlyMap<string, boolean>;

const operator = (name: string) => JSON.stringify(['operator', name]);
const stream = (name: string) => JSON.stringify(['stream', name]);
const source = (name: string, end: End) => JSON.stringify(['source', name, end.operatorName, end.portName]);
const sink = (name: string, end: End) => JSON.stringify(['sink', name, end.operatorName, end.portName]);

export function outcomeOf(requests: readonly ChangeRequest[]): Outcome {
  const outcome = new Map<string, boolean>();
  for (const request of requests) {
    switch (request.requestType) {
      case 'CreateOperatorRequest':
        outcome.set(operator(request.operatorName), true);
        break;
      case 'RemoveOperatorRequest':
        outcome.set(operator(request.operatorName), false);
        forget(outcome, (parts) => parts[0] !== 'operator' && parts[2] === request.operatorName);
        break;
      case 'CreateStreamRequest':
        outcome.set(stream(request.streamName), true);
        outcome.set(source(request.streamName, sourceOf(request)), true);
        outcome.set(sink(request.streamName, sinkOf(request)), true);
        break;
      case 'AddStreamSinkRequest':
        outcome.set(sink(request.streamName, sinkOf(request)), true);
        break;
      case 'RemoveStreamRequest':
        forget(outcome, (parts) => parts[0] !== 'operator' && parts[1] === request.streamName);
        outcome.set(stream(request.streamName), false);
        break;
      // Of an operator of the same batch, which shows that it was done.
      case 'SetOperatorPropertyRequest':
        break;
    }
  }
  return outcome;
}

/** Whether a plan is as it is afterwards. One that was so before tells nothing. */
export function isReached(outcome: Outcome, plan: Plan): boolean {
  const shown = new Set([
    ...plan.operators.map(({ name }) => operator(name)),
    ...plan.streams.flatMap((one) => [
      stream(one.name),
      source(one.name, one.source),
      ...one.sinks.map((end) => sink(one.name, end)),
    ]),
  ]);
  return [...outcome].every(([fact, isThere]) => shown.has(fact) === isThere);
}

type Request<Type> = Extract<ChangeRequest, { requestType: Type }>;

const sourceOf = (request: Request<'CreateStreamRequest'>): End => ({
  operatorName: request.sourceOperatorName,
  portName: request.sourceOperatorPortName,
});

const sinkOf = (request: Request<'CreateStreamRequest' | 'AddStreamSinkRequest'>): End => ({
  operatorName: request.sinkOperatorName,
  portName: request.sinkOperatorPortName,
});

/** What an earlier request of the batch made and a later one takes away. */
function forget(outcome: Map<string, boolean>, goes: (parts: readonly unknown[]) => boolean): void {
  for (const fact of outcome.keys()) {
    const parts: unknown = JSON.parse(fact);
    if (Array.isArray(parts) && goes(parts)) outcome.delete(fact);
  }
}
