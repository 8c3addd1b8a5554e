import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { flinkDouble } from '../../test/doubles/flink/index.js';
import { listening } from '../../test/helpers/listening.js';

// The JobManager of the benchmark, in a process of its own: jobs of ten vertices with four subtasks each, and a log of a gigabyte.

const [, , count] = process.argv;
const double = await flinkDouble();
// As it is where nobody has set it.
delete double.settings['metrics.fetcher.update-interval'];
const [manager] = double.jobManagers;
if (!manager) throw new Error('There is no JobManager');
const jobs = Array.from({ length: Number(count) }, (_, i) =>
  double.start(`numbers-${i}`, { vertices: 10, parallelism: 4 }),
);

const block = Buffer.from(`${'x'.repeat(99)}\n`.repeat(640));
const blocks = 16_384;
function* logBytes() {
  for (let i = 0; i < blocks - 1; i++) yield block;
  const last = Buffer.from(block);
  last.write('needle', last.length - 50);
  yield last;
}

/** In front of the double, whose answers are whole. */
const front = createServer(async (req, res) => {
  const path = req.url ?? '';
  if (path.endsWith('/logs/large.log')) {
    res.writeHead(200, { 'content-type': 'text/plain', 'content-length': block.length * blocks });
    return void Readable.from(logBytes()).pipe(res);
  }
  const answer = await fetch(manager.url + path, { headers: { accept: 'application/json' } });
  const type = answer.headers.get('content-type') ?? 'application/json';
  res.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
});
double.logs.set('large.log', '');
const { baseUrl } = await listening(front);

/** Of what was asked since the last order: how often, and how often that of which it was most. */
function asked() {
  const times = new Map<string, number>();
  for (const what of manager?.asked.splice(0) ?? []) times.set(what, (times.get(what) ?? 0) + 1);
  const all = [...times.values()];
  return { calls: all.reduce((sum, one) => sum + one, 0), most: Math.max(0, ...all) };
}

process.on('message', (order) => {
  // The past of a cluster that has had many: as many jobs as it keeps.
  for (let i = 0; i < Number(order); i++) double.end(double.start(`past-${i}`), 'FINISHED');
  process.send?.(asked());
});
process.send?.({
  manager: baseUrl,
  jobs: jobs.map(({ id, vertices }) => ({ id, vertices: vertices.map((one) => one.id) })),
});
process.on('disconnect', () => process.exit(0));
