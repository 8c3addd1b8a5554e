import { tracingChannel } from 'node:diagnostics_channel';
import t from 'tap';
import { createInstrumentation } from '../../../lib/http/instrumentation.js';
import { NotFound } from '../../../lib/model/errors.js';
import { aroundCalls } from '../../../lib/runtime/around-calls.js';
import { createMetrics } from '../../../lib/runtime/metrics.js';

/** Has all that drivers have: fields of its own, facets, what is missing, answers with methods. */
class Driver {
  #secret = 'kept';
  readonly name = 'driver';
  readonly kinds = ['a', 'b'];
  readonly facet = Object.freeze({ ask: async () => 'asked' });
  readonly absent?: { ask(): Promise<string> };

  async tell(word: string): Promise<string> {
    return `${this.#secret} ${word}`;
  }
  async fail(error: unknown): Promise<void> {
    throw error;
  }
  count(): number {
    return 3;
  }
  async *entries() {
    yield 1;
  }
  async master() {
    return { plan: async () => 'plan' };
  }
}

function place(what: string) {
  let monotonic = 0;
  const metrics = createMetrics();
  const clock = { now: () => 0, monotonic: () => (monotonic += 20) };
  const driver = aroundCalls(new Driver(), createInstrumentation(what, { metrics, clock }), {
    master: 'master.',
  });
  return { metrics, driver };
}

t.test('a measured driver answers as before, and lacks what it lacked', async (t) => {
  const { driver } = place('plain');
  t.equal(driver.name, 'driver');
  t.strictSame(driver.kinds, ['a', 'b']);
  t.equal(driver.absent, undefined);
  t.notOk('absent' in driver && driver.absent);
  t.equal(driver.count(), 3);
  t.equal(await driver.tell('well'), 'kept well');
  t.equal(driver.tell, driver.tell, 'one function');
  t.equal(await driver.facet.ask(), 'asked');
  t.equal(await (await driver.master()).plan(), 'plan');
  const found: number[] = [];
  for await (const entry of driver.entries()) found.push(entry);
  t.strictSame(found, [1]);
  t.ok(driver instanceof Driver);
});

t.test('calls are counted by what became of them', async (t) => {
  const { driver, metrics } = place('counted');
  await driver.tell('a');
  await driver.tell('b');
  await (await driver.master()).plan();
  for (const error of [new NotFound('thing', 'x'), new Error('bad'), AbortSignal.abort().reason]) {
    await t.rejects(driver.fail(error));
  }
  driver.count();
  const lines = metrics.text().split('\n');
  t.strictSame(
    lines.filter((line) => line.startsWith('headgate_counted_calls_total')),
    [
      'headgate_counted_calls_total{call="tell",outcome="ok"} 2',
      'headgate_counted_calls_total{call="master",outcome="ok"} 1',
      'headgate_counted_calls_total{call="master.plan",outcome="ok"} 1',
      'headgate_counted_calls_total{call="fail",outcome="NOT_FOUND"} 1',
      'headgate_counted_calls_total{call="fail",outcome="INTERNAL"} 1',
      'headgate_counted_calls_total{call="fail",outcome="ABORTED"} 1',
    ],
  );
  t.ok(lines.includes('headgate_counted_call_seconds_bucket{call="tell",le="0.05"} 2'));
  t.ok(lines.includes('headgate_counted_call_seconds_bucket{call="tell",le="0.01"} 0'));
  t.ok(lines.includes('headgate_counted_call_seconds_sum{call="tell"} 0.04'));
});

t.test('whoever traces is told when a call begins and how it ends', async (t) => {
  const { driver } = place('traced');
  const told: unknown[] = [];
  const note = (what: string) => (context: object) => told.push([what, { ...context }]);
  const subscribers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  const channel = tracingChannel('headgate.traced');
  channel.subscribe(subscribers);
  t.teardown(() => channel.unsubscribe(subscribers));
  const error = new Error('bad');
  await driver.tell('a');
  await t.rejects(driver.fail(error));
  channel.unsubscribe(subscribers);
  await driver.tell('untold');
  t.strictSame(told, [
    ['start', { call: 'tell' }],
    ['asyncEnd', { call: 'tell' }],
    ['start', { call: 'fail' }],
    ['error', { call: 'fail', error }],
    ['asyncEnd', { call: 'fail', error }],
  ]);
});

t.test('the text format: labels are escaped, a name is said once, readings are fresh', async (t) => {
  const metrics = createMetrics();
  metrics.counter('a_total', 'One', ['x']).of('q"uo\\te').add();
  metrics.counter('a_total', 'One', ['x']).of('q"uo\\te').add();
  let depth = 1;
  metrics.reading('gauge', 'depth', 'Two', () => depth);
  depth = 7;
  metrics.histogram('h', 'Three').of().observe(99);
  t.match(metrics.text(), '# HELP a_total One\n# TYPE a_total counter\na_total{x="q\\"uo\\\\te"} 2\n');
  t.match(metrics.text(), '# TYPE depth gauge\ndepth 7\n');
  t.match(metrics.text(), 'h_bucket{le="10"} 0\nh_bucket{le="+Inf"} 1\nh_sum 99\nh_count 1\n');
});
