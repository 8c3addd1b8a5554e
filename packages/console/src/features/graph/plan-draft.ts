import type { LogicalShape, Mark } from './plan-graph.js';
import { differenceOf, type PlanShape, type PlanStream } from './plan-shape.js';

/** One step, as the gateway takes it. */
export type PlanRequest =
  | {
      readonly requestType: 'CreateOperatorRequest';
      readonly operatorName: string;
      readonly operatorFQCN: string;
    }
  | { readonly requestType: 'RemoveOperatorRequest'; readonly operatorName: string }
  | {
      readonly requestType: 'CreateStreamRequest';
      readonly streamName: string;
      readonly sourceOperatorName: string;
      readonly sourceOperatorPortName: string;
      readonly sinkOperatorName: string;
      readonly sinkOperatorPortName: string;
    }
  | {
      readonly requestType: 'AddStreamSinkRequest';
      readonly streamName: string;
      readonly sinkOperatorName: string;
      readonly sinkOperatorPortName: string;
    }
  | { readonly requestType: 'RemoveStreamRequest'; readonly streamName: string }
  | {
      readonly requestType: 'SetOperatorPropertyRequest';
      readonly operatorName: string;
      readonly propertyName: string;
      readonly propertyValue: string;
    };

/** A batch that is being collected. `base`: the plan that it was made for. */
export interface PlanDraft {
  readonly base: PlanShape;
  readonly requests: readonly PlanRequest[];
}

export type DraftAction =
  | { readonly type: 'add'; readonly request: PlanRequest }
  | { readonly type: 'undo'; readonly step: number }
  | { readonly type: 'rebase'; readonly plan: PlanShape };

export const newDraft = (base: PlanShape): PlanDraft => ({ base, requests: [] });

export function nextDraft(draft: PlanDraft, action: DraftAction): PlanDraft {
  switch (action.type) {
    case 'add':
      return { ...draft, requests: [...draft.requests, action.request] };
    case 'undo':
      return { ...draft, requests: draft.requests.filter((_, step) => step !== action.step) };
    case 'rebase':
      return { ...draft, base: action.plan };
  }
}

/** Why a step can't be done: words for it are the screen's. */
export type Obstacle =
  | { readonly why: 'operator exists' | 'no operator' | 'stream exists' | 'no stream'; readonly name: string }
  | { readonly why: 'source taken' | 'sink taken'; readonly name: string; readonly stream: string };

export interface Applied {
  readonly plan: PlanShape;
  /** For each step; a step with one changes nothing. */
  readonly obstacles: readonly (Obstacle | undefined)[];
}

/** The plan after all steps, as the gateway would carry them out. What classes and their ports allow, the gateway knows. */
export function applied({ base, requests }: PlanDraft): Applied {
  let plan = base;
  const obstacles = requests.map((request) => {
    const next = step(plan, request);
    if ('why' in next) return next;
    plan = next;
    return undefined;
  });
  return { plan, obstacles };
}

const isAt = (
  a: { operatorName: string; portName: string },
  operatorName: string,
  portName: string,
): boolean => a.operatorName === operatorName && a.portName === portName;

function step(plan: PlanShape, request: PlanRequest): PlanShape | Obstacle {
  const { operators, streams } = plan;
  switch (request.requestType) {
    case 'CreateOperatorRequest': {
      const { operatorName: name, operatorFQCN } = request;
      if (operators.some((one) => one.name === name)) return { why: 'operator exists', name };
      return { ...plan, operators: [...operators, { name, class: operatorFQCN, properties: {} }] };
    }
    case 'RemoveOperatorRequest':
      return withoutOperator(plan, request.operatorName);
    case 'CreateStreamRequest': {
      const { streamName: name, sourceOperatorName, sourceOperatorPortName } = request;
      if (streams.some((one) => one.name === name)) return { why: 'stream exists', name };
      const taken = streams.find(({ source }) => isAt(source, sourceOperatorName, sourceOperatorPortName));
      const problem = missing(plan, sourceOperatorName) ?? sinkObstacle(plan, request);
      if (problem) return problem;
      if (taken)
        return {
          why: 'source taken',
          name: `${sourceOperatorName}.${sourceOperatorPortName}`,
          stream: taken.name,
        };
      const source = { operatorName: sourceOperatorName, portName: sourceOperatorPortName };
      return { ...plan, streams: [...streams, { name, source, sinks: [sinkOf(request)] }] };
    }
    case 'AddStreamSinkRequest': {
      const { streamName: name } = request;
      if (!streams.some((one) => one.name === name)) return { why: 'no stream', name };
      const problem = sinkObstacle(plan, request);
      if (problem) return problem;
      const more = (one: PlanStream) =>
        one.name === name ? { ...one, sinks: [...one.sinks, sinkOf(request)] } : one;
      return { ...plan, streams: streams.map(more) };
    }
    case 'RemoveStreamRequest': {
      const { streamName: name } = request;
      if (!streams.some((one) => one.name === name)) return { why: 'no stream', name };
      return { ...plan, streams: streams.filter((one) => one.name !== name) };
    }
    case 'SetOperatorPropertyRequest':
      return withProperty(plan, request.operatorName, request.propertyName, request.propertyValue);
  }
}

interface ToSink {
  readonly sinkOperatorName: string;
  readonly sinkOperatorPortName: string;
}
const sinkOf = (to: ToSink) => ({ operatorName: to.sinkOperatorName, portName: to.sinkOperatorPortName });

const missing = ({ operators }: PlanShape, name: string): Obstacle | undefined =>
  operators.some((one) => one.name === name) ? undefined : { why: 'no operator', name };

function sinkObstacle(plan: PlanShape, to: ToSink): Obstacle | undefined {
  const { sinkOperatorName, sinkOperatorPortName } = to;
  const taken = plan.streams.find(({ sinks }) =>
    sinks.some((sink) => isAt(sink, sinkOperatorName, sinkOperatorPortName)),
  );
  return (
    missing(plan, sinkOperatorName) ??
    (taken && { why: 'sink taken', name: `${sinkOperatorName}.${sinkOperatorPortName}`, stream: taken.name })
  );
}

/** Its own streams go with it; those that it reads go on without it, as long as anybody else reads them. */
function withoutOperator(plan: PlanShape, name: string): PlanShape | Obstacle {
  const problem = missing(plan, name);
  if (problem) return problem;
  const streams = plan.streams
    .filter(({ source }) => source.operatorName !== name)
    .map((stream) => ({ ...stream, sinks: stream.sinks.filter(({ operatorName }) => operatorName !== name) }))
    .filter(({ sinks }) => sinks.length > 0);
  return { operators: plan.operators.filter((one) => one.name !== name), streams };
}

function withProperty(plan: PlanShape, name: string, property: string, value: string): PlanShape | Obstacle {
  const problem = missing(plan, name);
  if (problem) return problem;
  const operators = plan.operators.map((one) =>
    one.name === name ? { ...one, properties: { ...one.properties, [property]: value } } : one,
  );
  return { ...plan, operators };
}

/** The plan of a draft for drawing: what it takes away is still there, marked, and so is what it brings. */
export function marked(base: PlanShape, plan: PlanShape): LogicalShape {
  const marks = new Map<string, Mark>();
  for (const { kind, name, mark, detail } of differenceOf(base, plan)) {
    if (kind === 'operator' || kind === 'stream') marks.set(`${kind} ${name}`, mark);
    if (kind === 'property') marks.set(`operator ${name}`, 'changed');
    if (kind === 'sink') marks.set(`sink ${name} ${detail}`, mark);
  }
  const markOf = (key: string) => {
    const mark = marks.get(key);
    return mark === undefined ? {} : { mark };
  };
  const gone = <T extends { readonly name: string }>(was: readonly T[], is: readonly T[]) =>
    was.filter(({ name }) => !is.some((one) => one.name === name));
  return {
    operators: [...plan.operators, ...gone(base.operators, plan.operators)].map((one) => ({
      ...one,
      ...markOf(`operator ${one.name}`),
    })),
    streams: [...plan.streams, ...gone(base.streams, plan.streams)].map((one) => ({
      ...one,
      sinks: sinksOf(base, one).map((sink) => ({
        ...sink,
        ...markOf(`sink ${one.name} ${sink.operatorName}.${sink.portName}`),
      })),
      ...markOf(`stream ${one.name}`),
    })),
  };
}

/** With those that it had before, of a stream with the same source. */
function sinksOf(base: PlanShape, stream: PlanStream) {
  const before = base.streams.find(({ name }) => name === stream.name);
  const lost = before?.sinks.filter(
    (old) => !stream.sinks.some((sink) => isAt(sink, old.operatorName, old.portName)),
  );
  return [...stream.sinks, ...(lost ?? [])];
}
