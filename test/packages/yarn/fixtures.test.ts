import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { z } from 'zod';
import { yarnDouble } from '../../doubles/yarn/index.js';

// The double is asked what the real cluster was asked once (test/stages/yarn/record.ts), and has to answer alike: status, kind
// of content, names and types.

const Recorded = z.object({
  request: z.string(),
  body: z.unknown().optional(),
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  answer: z.unknown().optional(),
});
type Recorded = z.output<typeof Recorded>;
const File = z.record(z.string(), Recorded);

const double = await yarnDouble();
const application = await double.run({
  name: 'Random',
  application: {
    operators: [
      { name: 'rand', class: 'com.datatorrent.lib.testbench.RandomEventGenerator' },
      { name: 'console', class: 'com.datatorrent.lib.io.ConsoleOutputOperator' },
    ],
    streams: [
      {
        name: 'numbers',
        source: { operatorName: 'rand', portName: 'integer_data' },
        sinks: [{ operatorName: 'console', portName: 'input' }],
      },
    ],
  },
});
t.teardown(() => double.close());

const master = double.masters.get(application.id)?.server.url ?? '';
const servers: Record<string, string> = {
  'resource-manager': double.managers[0]?.url ?? '',
  master,
  'web-hdfs': double.files.nameNode.url,
  'node-manager': double.nodeManager.url,
};

/** What the driver has no use for, and the double does not tell; all else that the real cluster tells it tells, too. */
const leftOut: Record<string, RegExp> = {
  'resource-manager':
    /Seconds$|reempted|resourceRequests|rmStateStoreName|VersionBuiltOn$|ZooKeeper|resource$|clusterMetrics|nodes\.node\[\]/,
  master: /^\.properties\[\]|Ports\[\]|^\.type$/,
  'web-hdfs': /\.(accessTime|blockSize|childrenNum|fileId|group|permission|replication|storagePolicy)$/,
  'node-manager': /^$/,
};

/** Each operator of the double has an input and an output, and properties of its own. */
const ofClasses = /^\.(?:input|output)Ports\[\]|^\.properties\[\]\.descriptions/;

/** Values whose names are data. */
const isFree = (path: string): boolean => /\.(?:attributes|properties|metrics|operators)$/.test(path);

/** `.apps.app[].state` to the types that were seen there; nothing is said of what is null. */
function shapeOf(value: unknown, path = '', shape = new Map<string, Set<string>>()) {
  const types = shape.get(path) ?? new Set<string>();
  shape.set(path, types);
  if (value === null) return shape;
  types.add(Array.isArray(value) ? 'array' : typeof value);
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${path}[]`, shape);
  else if (typeof value === 'object' && value !== null && !isFree(path))
    for (const [name, item] of Object.entries(value)) shapeOf(item, `${path}.${name}`, shape);
  return shape;
}

function differences(part: string, real: unknown, own: unknown): string[] {
  const expected = shapeOf(real);
  const found = shapeOf(own);
  const lacking = [...expected.keys()].filter((path) => !found.has(path) && !leftOut[part]?.test(path));
  const invented = [...found.keys()].filter((path) => !expected.has(path) && !ofClasses.test(path));
  const other = [...found].flatMap(([path, types]) => {
    const known = expected.get(path) ?? new Set();
    const strange = [...types].filter((type) => known.size > 0 && !known.has(type));
    return strange.length > 0 ? [`${path} is ${strange}, not ${[...known]}`] : [];
  });
  return [...lacking.map((path) => `lacks ${path}`), ...invented.map((path) => `has ${path}`), ...other];
}

/** Not `fetch`: it would follow, and asks for the connection to be kept. */
async function ask(part: string, { request: line, body }: Recorded) {
  const [method = '', path = ''] = line.split(' ');
  const own = path
    .replaceAll(/application_\d{5,}_\d{4}/g, application.id)
    .replaceAll(/container_\d{5,}_0001_01_000003/g, application.containerId(3))
    .replace('/user/root/', '/user/hadoop/');
  const sent = request(`${servers[part]}${own}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, text: await text(reply) };
}

const kindOf = (type: string | undefined): string => /json|html/.exec(type ?? '')?.[0] ?? 'other';

function answersAlike(part: string, names: readonly string[]): void {
  const recorded = File.parse(JSON.parse(readFileSync(`test/stages/yarn/fixtures/${part}.json`, 'utf8')));
  for (const name of names)
    t.test(`${part}: ${name}`, async (t) => {
      const real = Recorded.parse(recorded[name]);
      const own = await ask(part, real);
      t.equal(own.status, real.status);
      if (own.status === 307) t.match(own.headers.location, /^http:.*[?&]op=/);
      else if (own.status !== 302)
        t.equal(kindOf(own.headers['content-type']), kindOf(real.headers['content-type']));
      if (typeof real.answer === 'object' && !/^[^?]*properties(?:\?|$)/.test(name))
        t.strictSame(differences(part, real.answer, JSON.parse(own.text)), []);
    });
}

answersAlike('resource-manager', [
  ...['empty/info', 'unknown-application', 'no-application-id', 'unknown-state', 'configuration'],
  ...['proxy-unknown', 'running/apps', 'running/engine-applications', 'running/application'],
  ...['running/metrics', 'running/nodes', 'running/state', 'running/proxy', 'running/proxy-post'],
]);

answersAlike('master', [
  ...['info', 'physicalPlan', 'physicalPlan/operators', 'physicalPlan/operators/1'],
  ...['physicalPlan/operators/99', 'physicalPlan/operators/nonsense', 'physicalPlan/operators/1/properties'],
  ...['physicalPlan/operators/1/properties?propertyName=tuplesBlast', 'physicalPlan/operators/99/properties'],
  ...['physicalPlan/streams', 'physicalPlan/containers', 'physicalPlan/containers/nonsense'],
  ...['logicalPlan', 'logicalPlan/operators', 'logicalPlan/operators/rand', 'logicalPlan/operators/nonsense'],
  ...['logicalPlan/operators/rand/properties', 'loggers', 'operatorClasses/nonsense', 'nonsense'],
  ...['loggers/search?pattern=com.datatorrent.stram.Str.*', 'operatorClasses?q=console'],
  ...['operatorClasses/com.datatorrent.lib.io.ConsoleOutputOperator', 'post/property'],
  ...['post/property-of-unknown', 'post/physical-property', 'post/physical-property-of-unknown'],
  ...['post/loggers', 'loggers-set', 'post/kill-unknown-container', 'post/recording-of-unknown'],
  ...['post/recording', 'operator-being-recorded', 'post/recording-stop', 'post/recording-of-unknown-port'],
  ...['post/plan-unknown-request', 'post/plan-unknown-class'],
]);

answersAlike('web-hdfs', [
  ...['application', 'events', 'open', 'open-directory', 'create', 'delete', 'delete-missing'],
]);

answersAlike('node-manager', ['unknown-log', 'raw-directory', 'raw-missing', 'whole-file-missing']);

answersAlike('master', ['post/kill-container', 'containers-after-a-kill', 'post/shutdown']);

t.test('resource manager: it has ended', async () => {
  while (application.state !== 'FINISHED') await new Promise((resolve) => setTimeout(resolve, 10));
});

answersAlike('resource-manager', ['finished', 'proxy-finished', 'kill-again']);
