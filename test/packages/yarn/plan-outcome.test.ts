import t from 'tap';
import type { ChangeRequest } from '../../../lib/driver-kit.js';
import { isReached, outcomeOf } from '../../../packages/yarn/facets/plan-outcome.js';
import { pipeline, yarnGateway } from '../../helpers/yarn.js';

// The engine answers a change of its plan after three seconds whether it was done or not.

const end = (operatorName: string, portName: string) => ({ operatorName, portName });
const numbers = { name: 'numbers', source: end('rand', 'out'), sinks: [end('console', 'in')] };
const plan = (operators: readonly string[], ...streams: (typeof numbers)[]) => ({
  operators: operators.map((name) => ({ name })),
  streams,
});
const usual = plan(['rand', 'console'], numbers);

const create = (operatorName: string): ChangeRequest => ({
  requestType: 'CreateOperatorRequest',
  operatorName,
  operatorFQCN: 'com.example.Console',
});
const removeOperator = (operatorName: string): ChangeRequest => ({
  requestType: 'RemoveOperatorRequest',
  operatorName,
});
const removeStream = (streamName: string): ChangeRequest => ({
  requestType: 'RemoveStreamRequest',
  streamName,
});
const addSink = (sinkOperatorName: string): ChangeRequest => ({
  requestType: 'AddStreamSinkRequest',
  streamName: 'numbers',
  sinkOperatorName,
  sinkOperatorPortName: 'in',
});
const createStream = (streamName: string, sinkOperatorName: string, from = 'rand'): ChangeRequest => ({
  requestType: 'CreateStreamRequest',
  streamName,
  sourceOperatorName: from,
  sourceOperatorPortName: 'out',
  sinkOperatorName,
  sinkOperatorPortName: 'in',
});
const setProperty: ChangeRequest = {
  requestType: 'SetOperatorPropertyRequest',
  operatorName: 'more',
  propertyName: 'quiet',
  propertyValue: 'true',
};

t.test('what a plan shows of a change', async (t) => {
  const both = { ...numbers, sinks: [...numbers.sinks, end('more', 'in')] };
  const texts = { name: 'texts', source: end('rand', 'out'), sinks: [end('more', 'in')] };
  for (const [what, requests, after, ...not] of [
    ['an operator', [create('more'), setProperty], plan(['rand', 'console', 'more'], numbers), usual],
    [
      'a reader',
      [create('more'), addSink('more')],
      plan(['rand', 'console', 'more'], both),
      plan(['rand', 'console', 'more'], numbers),
    ],
    [
      'a stream',
      [createStream('texts', 'more')],
      plan(['rand', 'more'], texts),
      plan(['rand', 'more'], { ...texts, source: end('other', 'out') }),
      plan(['rand', 'more']),
    ],
    ['a stream less', [removeStream('numbers')], plan(['rand', 'console']), usual],
    [
      'an operator less',
      [removeStream('numbers'), removeOperator('console')],
      plan(['rand']),
      plan(['rand', 'console']),
    ],
    [
      'a stream to somebody else',
      [removeStream('numbers'), createStream('numbers', 'more')],
      plan(['rand', 'more'], { ...texts, name: 'numbers' }),
      usual,
      plan(['rand', 'more']),
    ],
    [
      'a reader that goes at once',
      [addSink('more'), removeOperator('more')],
      usual,
      plan(['rand', 'more'], both),
    ],
    ['a stream that goes at once', [createStream('texts', 'more'), removeStream('texts')], usual],
  ] as const) {
    t.equal(isReached(outcomeOf(requests), after), true, what);
    for (const other of not) t.equal(isReached(outcomeOf(requests), other), false, what);
  }
});

t.test('a change that is slower than its engine waits is answered when it was done', async (t) => {
  const { client, double } = await yarnGateway(t);
  const application = await double.run(pipeline());
  application.changesLater = 'done';
  const params = { appid: application.id };
  await client.changeLogicalPlan({ params, body: { requests: [create('more')] } });
  const { operators } = await client.getLogicalPlan({ params });
  t.strictSame(operators.map(({ name }) => name).sort(), ['console', 'more', 'rand']);
});

t.test('one that is never seen is not called done', async (t) => {
  const { client, double } = await yarnGateway(t, {}, { timeouts: { planChangeMillis: 2000 } });
  const application = await double.run(pipeline());
  application.changesLater = 'lost';
  const params = { appid: application.id };
  const late = { status: 504, code: 'TIMED_OUT' };
  await t.rejects(client.changeLogicalPlan({ params, body: { requests: [create('more')] } }), late);
  const none = { requests: [create('more'), removeOperator('more')] };
  await t.rejects(client.changeLogicalPlan({ params, body: none }), late, 'the plan would tell nothing');
  t.equal((await client.getLogicalPlan({ params })).operators.length, 2, 'its master is asked as before');
});
