import { median, report } from './report.js';
import { ask, p99, type Running, shareOneProcessor, start } from './rest/load.js';
import { createRates, methods } from './rest/rates.js';

// What the core costs in each kind of host: a small GET and a PUT of 1 kB, validated and kept in memory,
// against an equivalent route written by hand. `guarded` answers the same to the byte, which is looked at before: it checks
// who may come, and sends the request's id and that nobody may keep the answer. `bare` does none of that. Neither has JSON
// limits or counts. `unmeasured` is the core without `GET metrics`, and without subscribers for tracing, as all of them are.
// Requests per processor second of the server alone, over 32 connections, in many short rounds, each kind once in each: what a
// processor does in a second changes with the time, so ratios are those within rounds. And with the process, by a fifth: what
// the compilers make of the same code differs, so all are started several times. Client and servers share one processor:
// beside a busy neighbour each request costs more, the more so the longer the client has to wait for it. Then latency at 1,000
// a second.
//   node build/bench/rest.js

const kinds = [
  'http bare',
  'http guarded',
  'http unmeasured',
  'http',
  'koa bare',
  'koa guarded',
  'koa',
  'express bare',
  'express',
  'in front of express',
] as const;
type Kind = (typeof kinds)[number];
const compared: [what: string, kind: Kind, byHand: Kind, atLeast?: number][] = [
  ['http / the same by hand', 'http', 'http guarded', 0.9],
  ['http / by hand without checks', 'http', 'http bare'],
  ['http, measured / unmeasured', 'http', 'http unmeasured', 0.95],
  ['Koa / the same by hand', 'koa', 'koa guarded', 0.9],
  ['Koa / by hand without checks', 'koa', 'koa bare'],
  ['Express, mounted / by hand without checks', 'express', 'express bare', 1],
  ['in front of Express / the same by hand in http', 'in front of express', 'http guarded', 0.9],
  ['in front of Express / in http without checks', 'in front of express', 'http bare'],
];
const starts = 7;
const program = new URL('./rest/server.js', import.meta.url);

const put = (name: string, body: string) =>
  `PUT /ws/v2/probe/settings/${name} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
/** The one that is read. */
const seed = put('small', JSON.stringify({ count: 7, value: 'x'.repeat(48) }));
const smallPath = '/ws/v2/probe/settings/small';
const requests = {
  GET: `GET ${smallPath} HTTP/1.1\r\nhost: h\r\n\r\n`,
  PUT: put('large', JSON.stringify({ value: 'x'.repeat(988) })),
};

/** Headers in the order of their names; ids, and when it was answered, differ. */
function comparable(answer: string): string {
  const [head = '', body] = answer.split('\r\n\r\n');
  const headers = head.split('\r\n').map((line) => line.toLowerCase());
  return [...headers.map((line) => line.replace(/^(date|x-request-id): .+/, '$1')).sort(), '', body].join(
    '\n',
  );
}

async function requireSameAnswers(ours: Running, byHand: Running): Promise<void> {
  for (const request of Object.values(requests)) {
    const [mine, theirs] = await Promise.all([ours, byHand].map(({ port }) => ask(port, request, 1)));
    if (comparable(mine ?? '') !== comparable(theirs ?? ''))
      throw new Error(`These should be the same:\n${mine}\n${theirs}`);
  }
}

const rates = createRates<Kind>();
const slowest = { bare: [] as number[], ours: [] as number[] };

async function measure(running: ReadonlyMap<Kind, Running>): Promise<void> {
  const started = (kind: Kind): Running => {
    const server = running.get(kind);
    if (!server) throw new Error(`${kind} was not started`);
    return server;
  };
  for (const [, ours, byHand] of compared)
    if (byHand.endsWith('guarded')) await requireSameAnswers(started(ours), started(byHand));
  await rates.measure(running, (_, method) => requests[method]);
  slowest.bare.push(await p99(started('http bare').port, smallPath));
  slowest.ours.push(await p99(started('http').port, smallPath));
}

shareOneProcessor();
for (let one = 0; one < starts; one++) {
  const running = new Map<Kind, Running>();
  try {
    for (const kind of kinds) {
      const server = await start(program, kind);
      running.set(kind, server);
      await ask(server.port, seed, 1);
    }
    await measure(running);
  } finally {
    for (const { child } of running.values()) child.kill();
  }
}

const good = report('REST, requests per processor second', [
  ...methods.flatMap((method) =>
    kinds.map((kind) => ({ what: `${method} ${kind}`, figure: rates.perSecond(method, kind), unit: '/s' })),
  ),
  ...methods.flatMap((method) =>
    compared.map(([what, kind, peer, atLeast]) => ({
      what: `${method} ${what}`,
      figure: rates.ratio(method, kind, peer),
      peer,
      ...(atLeast === undefined ? {} : { goal: { atLeast } }),
    })),
  ),
  { what: 'p99 at 1,000 GET/s, http bare', figure: median(slowest.bare), unit: 'ms' },
  { what: 'p99 at 1,000 GET/s, http', figure: median(slowest.ours), unit: 'ms' },
  {
    what: 'p99 at 1,000 GET/s, http / by hand without checks',
    figure: median(slowest.ours) / median(slowest.bare),
    peer: 'http bare',
    goal: { atMost: 2 },
  },
]);
process.exitCode = good ? 0 : 1;
