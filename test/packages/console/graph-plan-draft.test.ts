import * as fc from 'fast-check';
import t from 'tap';
import {
  applied,
  marked,
  newDraft,
  nextDraft,
  type PlanDraft,
  type PlanRequest,
} from '../../../packages/console/src/features/graph/plan-draft.js';
import {
  connection,
  freeInputs,
  outputsOf,
} from '../../../packages/console/src/features/graph/plan-ports.js';
import {
  differenceOf,
  type PlanShape,
  planShape,
} from '../../../packages/console/src/features/graph/plan-shape.js';
import { refusalsOf } from '../../../packages/console/src/features/graph/refusals.js';
import { withChanges } from '../../../packages/engine/plan/changes.js';
import { builtInOperators } from '../../../packages/operators/built-in.js';

const end = (operatorName: string, portName: string) => ({ operatorName, portName });
const filter = 'headgate.transform.Filter';
const source = 'headgate.io.Timer';

const base: PlanShape = {
  operators: [
    { name: 'source', class: source, properties: {} },
    { name: 'one', class: filter, properties: { condition: '"true"' } },
    { name: 'two', class: filter, properties: { condition: '"true"' } },
  ],
  streams: [
    { name: 'ticks', source: end('source', 'output'), sinks: [end('one', 'input'), end('two', 'input')] },
  ],
};

const draftOf = (...requests: readonly PlanRequest[]): PlanDraft => ({ base, requests });
const create = (operatorName: string): PlanRequest => ({
  requestType: 'CreateOperatorRequest',
  operatorName,
  operatorFQCN: filter,
});
const remove = (operatorName: string): PlanRequest => ({
  requestType: 'RemoveOperatorRequest',
  operatorName,
});

/** Browsers tell how a number was written, and Node does from 22 on. */
const tellsSources =
  JSON.parse('1', (_key, _value, context?: { source?: string }) => context?.source) === '1';

t.test(
  'a plan is read with every digit of its properties',
  { skip: !tellsSources && 'not before Node 22' },
  (t) => {
    const plan = planShape(
      '{"operators":[{"name":"a","class":"x.Y","properties":{"class":"x.Y","big":73314510714175488123,"list":[1]}}],"streams":[]}',
    );
    t.strictSame(plan.operators, [
      { name: 'a', class: 'x.Y', properties: { big: '73314510714175488123', list: '[\n  1\n]' } },
    ]);
    t.strictSame(planShape('{}'), { operators: [], streams: [] });
    t.end();
  },
);

t.test('each step is done as the gateway would do it, and what stands against it is told', (t) => {
  const obstacle = (...requests: readonly PlanRequest[]) =>
    applied(draftOf(...requests)).obstacles.at(-1)?.why;
  t.equal(obstacle(create('three')), undefined);
  t.equal(obstacle(create('one')), 'operator exists');
  t.equal(obstacle(remove('one')), undefined);
  t.equal(obstacle(remove('one'), remove('one')), 'no operator');
  t.equal(obstacle({ requestType: 'RemoveStreamRequest', streamName: 'gone' }), 'no stream');
  const add = (name: string): PlanRequest => ({
    requestType: 'AddStreamSinkRequest',
    streamName: 'ticks',
    sinkOperatorName: name,
    sinkOperatorPortName: 'input',
  });
  t.equal(obstacle(add('one')), 'sink taken');
  t.equal(obstacle(add('three')), 'no operator');
  t.equal(obstacle(create('three'), add('three')), undefined);
  t.equal(
    obstacle({
      requestType: 'SetOperatorPropertyRequest',
      operatorName: 'x',
      propertyName: 'a',
      propertyValue: '1',
    }),
    'no operator',
  );
  t.strictSame(applied(draftOf(remove('source'))).plan.streams, [], 'its streams go with it');
  t.strictSame(applied(draftOf(remove('one'))).plan.streams[0]?.sinks, [end('two', 'input')]);
  t.strictSame(applied(draftOf(remove('one'), remove('two'))).plan.streams, [], 'one that nobody reads goes');
  t.end();
});

t.test('ports: a second reader joins the stream, a port reads one', (t) => {
  const type = { inputPorts: [{ name: 'input' }], outputPorts: [{ name: 'output' }, { name: 'rejected' }] };
  t.strictSame(outputsOf(base, 'one', type), ['output', 'rejected']);
  t.strictSame(outputsOf(base, 'source', undefined), ['output'], 'what the plan tells without the class');
  t.strictSame(freeInputs(base, 'one', type), []);
  t.match(connection(base, end('source', 'output'), end('three', 'input')), {
    requestType: 'AddStreamSinkRequest',
    streamName: 'ticks',
  });
  t.match(connection(base, end('one', 'output'), end('three', 'input')), {
    requestType: 'CreateStreamRequest',
    streamName: 'one-three',
  });
  const twice = {
    ...base,
    streams: [...base.streams, { name: 'one-three', source: end('one', 'output'), sinks: [] }],
  };
  t.match(connection(twice, end('one', 'rejected'), end('three', 'input')), { streamName: 'one-three-2' });
  t.end();
});

t.test('the drawing of a draft has what goes and what comes, marked', (t) => {
  const { plan } = applied(
    draftOf(create('three'), remove('one'), {
      requestType: 'SetOperatorPropertyRequest',
      operatorName: 'two',
      propertyName: 'condition',
      propertyValue: 'false',
    }),
  );
  const shape = marked(base, plan);
  t.strictSame(Object.fromEntries(shape.operators.map(({ name, mark }) => [name, mark])), {
    source: undefined,
    one: 'removed',
    two: 'changed',
    three: 'added',
  });
  t.strictSame(
    shape.streams[0]?.sinks.map(({ operatorName, mark }) => [operatorName, mark]),
    [
      ['two', undefined],
      ['one', 'removed'],
    ],
  );
  t.end();
});

t.test('what others did is told: operators, streams, sinks, properties', (t) => {
  const after: PlanShape = {
    operators: [
      { name: 'source', class: source, properties: { intervalMillis: '5' } },
      { name: 'two', class: filter, properties: { condition: '"true"' } },
      { name: 'new', class: filter, properties: {} },
    ],
    streams: [
      { name: 'ticks', source: end('source', 'output'), sinks: [end('two', 'input'), end('new', 'input')] },
    ],
  };
  t.strictSame(
    differenceOf(base, after).map(({ mark, kind, name }) => [mark, kind, name]),
    [
      ['removed', 'operator', 'one'],
      ['changed', 'property', 'source'],
      ['added', 'operator', 'new'],
      ['removed', 'sink', 'ticks'],
      ['added', 'sink', 'ticks'],
    ],
  );
  t.end();
});

t.test('refusals name their step', (t) => {
  t.strictSame(
    [...refusalsOf([{ path: 'requests.2.operatorName', message: 'no' }, { path: 'other', message: 'x' }, 5])],
    [[2, 'no']],
  );
  t.equal(refusalsOf(undefined).size, 0);
  t.end();
});

const name = fc.constantFrom('source', 'one', 'two', 'three', 'four');
const stream = fc.constantFrom('ticks', 'more', 'other');
const request: fc.Arbitrary<PlanRequest> = fc.oneof(
  name.map(create),
  name.map(remove),
  stream.map((streamName): PlanRequest => ({ requestType: 'RemoveStreamRequest', streamName })),
  fc.tuple(stream, name).map(
    ([streamName, sinkOperatorName]): PlanRequest => ({
      requestType: 'AddStreamSinkRequest',
      streamName,
      sinkOperatorName,
      sinkOperatorPortName: 'input',
    }),
  ),
  fc.tuple(stream, name, name).map(
    ([streamName, sourceOperatorName, sinkOperatorName]): PlanRequest => ({
      requestType: 'CreateStreamRequest',
      streamName,
      sourceOperatorName,
      sourceOperatorPortName: 'output',
      sinkOperatorName,
      sinkOperatorPortName: 'input',
    }),
  ),
  name.map(
    (operatorName): PlanRequest => ({
      requestType: 'SetOperatorPropertyRequest',
      operatorName,
      propertyName: 'condition',
      propertyValue: 'false',
    }),
  ),
);
const batch = fc.array(request, { maxLength: 12 });

/** Every end is an operator, every port belongs to one stream, no stream is without a reader. */
function isSound({ operators, streams }: PlanShape): boolean {
  const names = new Set(operators.map((one) => one.name));
  const ends = streams.flatMap(({ source, sinks }) => [
    `out ${source.operatorName}.${source.portName}`,
    ...sinks.map((sink) => `in ${sink.operatorName}.${sink.portName}`),
  ]);
  return (
    names.size === operators.length &&
    new Set(ends).size === ends.length &&
    streams.every(
      ({ source, sinks }) =>
        sinks.length > 0 && [source, ...sinks].every(({ operatorName }) => names.has(operatorName)),
    )
  );
}

t.test('whatever is collected, the plan stays sound, and undoing gives what was there before', (t) => {
  fc.assert(
    fc.property(batch, request, fc.nat(), (requests, last, at) => {
      const draft = requests.reduce(
        (one, each) => nextDraft(one, { type: 'add', request: each }),
        newDraft(base),
      );
      const more = nextDraft(draft, { type: 'add', request: last });
      const { plan, obstacles } = applied(more);
      const undone = nextDraft(more, { type: 'undo', step: requests.length });
      const step = at % (requests.length + 1);
      return (
        isSound(plan) &&
        obstacles.length === requests.length + 1 &&
        JSON.stringify(undone) === JSON.stringify(draft) &&
        isSound(applied(nextDraft(more, { type: 'undo', step })).plan) &&
        differenceOf(plan, plan).length === 0 &&
        JSON.stringify(applied(nextDraft(more, { type: 'rebase', plan: base }))) ===
          JSON.stringify(applied(more))
      );
    }),
  );
  t.end();
});

t.test('a step that can’t be done leaves the plan as it was without it', (t) => {
  fc.assert(
    fc.property(batch, (requests) => {
      const { plan, obstacles } = applied(draftOf(...requests));
      const done = requests.filter((_, step) => obstacles[step] === undefined);
      return JSON.stringify(applied(draftOf(...done)).plan) === JSON.stringify(plan);
    }),
  );
  t.end();
});

t.test(
  'the engine does the same: it refuses what the draft holds back, and makes the same plan of the rest',
  (t) => {
    const registry = new Map(builtInOperators.map((type) => [type.className, type]));
    const application = {
      operators: base.operators.map(({ name, class: className, properties }) => ({
        name,
        class: className,
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [key, JSON.parse(value)]),
        ),
      })),
      streams: base.streams.map(({ sinks, ...more }) => ({ ...more, sinks: [...sinks] })),
    };
    const links = (streams: readonly { name?: string | undefined; sinks: readonly object[] }[]) =>
      streams
        .map(({ name, sinks }) => `${name} ${sinks.map((sink) => Object.values(sink).join('.')).sort()}`)
        .sort();
    // A timer reads nothing and has no condition: what its class forbids only the engine knows.
    const isForFilters = (one: PlanRequest) =>
      !('sinkOperatorName' in one && one.sinkOperatorName === 'source') &&
      !('operatorName' in one && one.operatorName === 'source');
    fc.assert(
      fc.property(batch, (all) => {
        const requests = all.filter(isForFilters);
        const { plan, obstacles } = applied(draftOf(...requests));
        const stuck = obstacles.some(Boolean);
        try {
          const { application: made } = withChanges(application, requests, registry);
          return (
            !stuck &&
            made.operators.map((one) => one.name).join() === plan.operators.map((one) => one.name).join() &&
            links(made.streams).join('\n') === links(plan.streams).join('\n')
          );
        } catch {
          return stuck;
        }
      }),
    );
    t.end();
  },
);
