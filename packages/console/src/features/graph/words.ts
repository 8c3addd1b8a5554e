import type { FoldKind } from './cells.js';
import type { Scale } from './graph-search.js';
import type { Obstacle, PlanRequest } from './plan-draft.js';
import type { Mark } from './plan-graph.js';

const many = (count: number, one: string, other: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : other}`;

export const words = {
  mode: 'Plan',
  modes: { logical: 'Logical', physical: 'Physical' },
  view: 'View',
  views: { graph: 'Graph', table: 'Table' },
  colorBy: 'Colour by',
  scales: {
    state: 'State',
    latency: 'Latency',
    lag: 'Window lag',
    cpu: 'CPU',
    failures: 'Failures',
    backpressure: 'Back-pressure',
  } satisfies Record<Scale, string>,
  notReported: 'This cluster does not report back-pressure',
  find: 'Find an operator',
  nothingFound: 'No operator has such a name',
  legend: 'What the colours mean',
  drawing: 'Laying out…',
  drawingFailed: 'The graph could not be laid out',
  graph: (operators: number) =>
    `Graph of ${many(operators, 'node', 'nodes')}. Arrow keys walk along the streams, Escape leaves the selection. The table has the same figures.`,
  selected: (title: string, figure: string) => `${title}: ${figure}`,
  none: 'This application has no operators yet',
  noneHint: 'They appear as soon as its plan is known.',
  lastKnown: 'The application has ended: this is its plan as it last was, without live figures.',
  folded: (members: number, nodes: number) =>
    `Folded: ${many(members, 'node', 'nodes')} in ${many(nodes, 'place', 'places')}`,
  foldedPartitions: (members: number, nodes: number) =>
    `Folded: ${many(members, 'partition', 'partitions')} in ${many(nodes, 'operator', 'operators')}`,
  unfold: 'Unfold…',
  unfoldThis: 'Unfold',
  foldAgain: 'Fold again',
  foldTitle: (kind: FoldKind, title: string, count: number): string =>
    kind === 'partitions' || kind === 'single'
      ? title
      : `${title} and ${(count - 1).toLocaleString('en')} more`,
  foldKinds: {
    single: '',
    partitions: 'partitions of one operator',
    twins: 'of one class, reading and feeding the same',
    line: 'one after the other',
    depth: 'as far from the sources as each other',
  } satisfies Record<FoldKind, string>,
  times: (count: number) => `×${count.toLocaleString('en')}`,
  container: (id: string) => `Container ${id}`,
  close: 'Close',
  panel: 'Selected',
  gone: 'What the link selects is not in this plan any more',
  streamTitle: (name: string) => `Stream ${name}`,
  from: 'From',
  to: 'To',
  operator: 'Operator',
  state: 'State',
  className: 'Class',
  partitionsColumn: 'Partitions',
  containerColumn: 'Container',
  partition: 'Partition',
  processed: 'In',
  emitted: 'Out',
  latency: 'Latency',
  lag: 'Lag',
  cpu: 'CPU',
  failures: 'Failures',
  blocked: 'Blocked',
  window: 'Window',
  openOperator: 'Open the operator',
  partitions: (count: number) => many(count, 'partition', 'partitions'),
  more: (count: number) => `and ${count.toLocaleString('en')} more`,
  members: 'In this fold',
  windows: (count: number) => many(count, 'window', 'windows'),
  columns: 'Operators and their figures',

  edit: 'Edit plan',
  ended: 'The application does not run',
  readOnly: 'This application is shared with you for reading only',
  drawer: 'Changes of the plan',
  noChanges: 'No change yet. Add an operator, or select something in the graph.',
  addOperator: 'Add operator',
  name: 'Name',
  add: 'Add',
  connect: 'Connect',
  connectHint: 'Or draw a line from one operator to another in the graph.',
  sourcePort: 'Output port',
  sinkPort: 'Input port',
  stream: 'Stream',
  setProperty: 'Set a property',
  property: 'Property',
  value: 'Value',
  valueNow: (text: string) => `Now ${text}`,
  set: 'Set',
  removeOperator: 'Remove this operator',
  removeStream: 'Remove this stream',
  undo: (step: string) => `Undo: ${step}`,
  json: 'What is sent',
  leave: 'Discard all',
  leaveTitle: 'Discard all changes?',
  leaveText: (count: number) => `${many(count, 'step', 'steps')} that you have collected will be gone.`,
  send: (count: number) => `Send ${many(count, 'change', 'changes')}`,
  sent: 'The plan has been changed',
  nothingToSend: 'There is nothing to send yet',
  stepStuck: 'A step can’t be done: undo it first',
  refused: 'The gateway has refused the changes, and none was made',
  meanwhile: 'The plan has changed since you began',
  meanwhileHint: 'Your changes were not sent. This is what others did:',
  applyOnTop: 'Apply mine on top',
  signs: { added: '+', removed: '−', changed: '~' } satisfies Record<Mark, string>,
  marks: { added: 'added', removed: 'removed', changed: 'changed' } satisfies Record<Mark, string>,
  difference: (kind: string, name: string, detail: string) => `${kind} ${name}: ${detail}`,
};

export const markOf = (request: PlanRequest): Mark =>
  request.requestType.startsWith('Remove')
    ? 'removed'
    : request.requestType === 'SetOperatorPropertyRequest'
      ? 'changed'
      : 'added';

/** A step in words. */
export function sentenceOf(request: PlanRequest): string {
  switch (request.requestType) {
    case 'CreateOperatorRequest':
      return `operator ${request.operatorName} of ${request.operatorFQCN}`;
    case 'RemoveOperatorRequest':
      return `operator ${request.operatorName}`;
    case 'CreateStreamRequest':
      return `stream ${request.streamName}: ${request.sourceOperatorName}.${request.sourceOperatorPortName} → ${request.sinkOperatorName}.${request.sinkOperatorPortName}`;
    case 'AddStreamSinkRequest':
      return `sink of stream ${request.streamName}: ${request.sinkOperatorName}.${request.sinkOperatorPortName}`;
    case 'RemoveStreamRequest':
      return `stream ${request.streamName}`;
    case 'SetOperatorPropertyRequest':
      return `${request.operatorName}.${request.propertyName} = ${request.propertyValue}`;
  }
}

export function obstacleInWords(obstacle: Obstacle): string {
  const { name } = obstacle;
  switch (obstacle.why) {
    case 'operator exists':
      return `There is already an operator ${name}`;
    case 'no operator':
      return `There is no operator ${name} at this step`;
    case 'stream exists':
      return `There is already a stream ${name}`;
    case 'no stream':
      return `There is no stream ${name} at this step`;
    case 'source taken':
      return `${name} already feeds the stream ${obstacle.stream}`;
    case 'sink taken':
      return `${name} already reads the stream ${obstacle.stream}`;
  }
}
