import t, { type Test } from 'tap';
import { html, json } from '../../doubles/yarn/server.js';
import { type ClassSpec, flags, jarOf } from '../../helpers/class-bytes.js';
import { flinkGateway } from '../../helpers/flink.js';
import { packageOf } from '../../helpers/packages.js';

// Plans of programs before their launch: what Flink is asked, what becomes of its answer, and what can be wrong.

const main = { name: 'main', descriptor: '([Ljava/lang/String;)V', flags: flags.public | flags.static };
const program: ClassSpec = { name: 'org.example.Words', methods: [main] };
const jar = jarOf([program]);
const sql = {
  kind: 'sql',
  statements: ["CREATE TABLE t (x INT) WITH ('connector' = 'print')", 'INSERT INTO t VALUES (1)'],
};
const files = {
  'app/jobs.jar': jar,
  'app/sql.json': JSON.stringify(sql),
  'app/dag.json': JSON.stringify({ operators: [{ name: 'a', class: 'a.A' }], streams: [] }),
};
const limits = { timeoutMillis: 1000, runMillis: 1500 };

async function planning(t: Test, managers = 1) {
  const found = await flinkGateway(t, { limits, managers, withSql: true });
  const { owner } = await found.client.uploadPackage({ body: packageOf({}, files) });
  const params = { owner, name: 'sensors', version: '1.0.0', appName: 'org.example.Words' };
  const plan = (body: Record<string, string> = {}, appName = params.appName) =>
    found.client.planPackageApplication({ params: { ...params, appName }, body });
  return { ...found, params, plan };
}

t.test('a plan is a logical plan, and nothing of it stays', async (t) => {
  const { client, double, plan } = await planning(t);
  const planned = await plan({
    'flink.args': '--topic "a b" --branches',
    'flink.parallelism': '2',
    'flink.savepoint': 'file:/nowhere',
    'flink.allowNonRestoredState': 'true',
    'state.backend.type': 'hashmap',
  });
  t.strictSame(double.jars.plans, [
    {
      entryClass: 'org.example.Words',
      programArgsList: ['--topic', 'a b', '--branches'],
      parallelism: 2,
      flinkConfiguration: { 'pipeline.name': 'org.example.Words', 'state.backend.type': 'hashmap' },
    },
  ]);
  t.match(planned, {
    operators: [
      {
        name: 'plus one -> (split -> nowhere: Writer, log)',
        description: 'plus one\n:- split\n:  +- nowhere: Writer\n+- log',
        attributes: { parallelism: 2 },
        ports: [{ name: 'in0', type: 'input', attributes: { shipStrategy: 'HASH' } }],
      },
      { name: 'Source: numbers', ports: [{ name: 'out0', type: 'output' }] },
    ],
    streams: [
      {
        source: { operatorName: 'Source: numbers', portName: 'out0' },
        sinks: [{ operatorName: 'plus one -> (split -> nowhere: Writer, log)', portName: 'in0' }],
      },
    ],
  });
  t.equal(double.jars.uploaded.size, 0, 'the jar does not stay with the JobManager');
  t.strictSame(double.jars.runs, [], 'nothing runs');
  t.strictSame((await client.listApplications()).apps, []);
});

t.test('what can not be planned is said, and why', async (t) => {
  const { double, params, plan } = await planning(t);
  await t.rejects(plan({}, 'sql'), {
    status: 400,
    code: 'APPLICATION_TYPE_NOT_SUPPORTED',
    message: /^sql is in SQL, .* EXPLAIN/,
  });
  await t.rejects(plan({}, 'dag'), { status: 400, code: 'APPLICATION_TYPE_NOT_SUPPORTED' });
  await t.rejects(plan({}, 'org.example.None'), { status: 404, code: 'NOT_FOUND' });
  await t.rejects(plan({ 'flink.parallelism': 'many' }), { status: 400, code: 'LAUNCH_PROPERTY_REFUSED' });
  await t.rejects(plan({ 'flink.paralellism': '2' }), { status: 400, code: 'LAUNCH_PROPERTY_REFUSED' });
  t.strictSame(double.jars.plans, [], 'nobody is asked for those');
  await t.rejects(plan({ 'flink.args': '--fail' }), {
    status: 400,
    code: 'ENGINE_REFUSED',
    message: `${params.appName} can't be planned. Flink refuses this: no topic is given`,
  });
  t.equal(double.jars.uploaded.size, 0, 'the jar of a program that fails does not stay');
  double.jars.next = 'off';
  await t.rejects(plan(), { code: 'ENGINE_REFUSED', message: /web\.submit\.enable/ });
});

t.test('a JobManager that hangs, is down, or is none', async (t) => {
  const { double, plan } = await planning(t);
  double.jars.next = 'hangs';
  await t.rejects(plan(), { status: 504, code: 'TIMED_OUT' });
  t.equal(double.jars.uploaded.size, 0, 'nor that of a program that hangs');
  for (const answer of [html('log in'), json({ plan: [] }), html('oops', 500)]) {
    double.jars.nextPlan = answer;
    await t.rejects(plan(), { status: 502, code: 'UNUSABLE_ANSWER' });
  }
  double.jars.nextPlan = json({ errors: [`x.FooException: ${'y'.repeat(9000)}`] }, 500);
  const refused: unknown = await plan().catch((error: unknown) => error);
  t.match(refused, { code: 'ENGINE_REFUSED' });
  t.ok(String(Reflect.get(Object(refused), 'message')).length < 500, 'a long reason is cut');
  t.equal(double.jars.uploaded.size, 0);
  const [manager] = double.jobManagers;
  for (const [fault, code] of [
    ['down', 'UNREACHABLE'],
    ['hang', 'TIMED_OUT'],
    ['garbage', 'UNUSABLE_ANSWER'],
  ] as const) {
    if (manager) manager.fault = fault;
    await t.rejects(plan(), { code }, fault);
  }
});
