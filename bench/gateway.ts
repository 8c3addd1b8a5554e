import { loginOfUser } from './gateway/login.js';
import { median, report } from './report.js';
import { ask, p99, type Running, shareOneProcessor, start } from './rest/load.js';
import { createRates, type Method, methods } from './rest/rates.js';

// What a user has: a whole gateway with memory storage, its audit log included, and of its operations GET and PUT of a setting, in
// each kind of host; beside the same operations as fast as they can be written by hand there: one regular expression for
// the path, one zod check, callbacks for the body, a `Map` behind it. In Koa and Express also as
// their documentation has it: a router, a body parser for all, objects as answers. And the least that a gateway adds to that, by hand: an id
// and guards in each answer, a count, a time and a line of the log, a storage behind an interface, bounds of what a user has, a
// record of each change with what was sent. And what a session with the rights of an ordinary user
// costs. Requests per processor second of the server alone, over 32 connections, in many short rounds; each kind once in each, and
// ratios are those within rounds. Then latency at 1,000 a second.
//   node build/bench/gateway.js [starts]

const kinds = [
  'http by-hand',
  'http least',
  'http least-sessions',
  'http',
  'http sessions',
  'Koa by-hand',
  'Koa least',
  'Koa usual',
  'Koa',
  'Express by-hand',
  'Express least',
  'Express usual',
  'Express',
] as const;
type Kind = (typeof kinds)[number];

const compared: [what: string, method: Method, kind: Kind, peer: Kind, atLeast?: number][] = [
  ['the least of it / by hand', 'GET', 'http least', 'http by-hand'],
  ['the least of it in Koa / by hand', 'GET', 'Koa least', 'Koa by-hand'],
  ['the least of it in Express / by hand', 'GET', 'Express least', 'Express by-hand'],
  ['the least of it with a session / without', 'GET', 'http least-sessions', 'http least'],
  ['in http / by hand', 'GET', 'http', 'http by-hand', 0.85],
  ['in Koa / by hand', 'GET', 'Koa', 'Koa by-hand', 1],
  ['in Koa / as usual there', 'GET', 'Koa', 'Koa usual'],
  ['in Express / by hand', 'GET', 'Express', 'Express by-hand', 1],
  ['in Express / as usual there', 'GET', 'Express', 'Express usual'],
  ['with a session / without', 'GET', 'http sessions', 'http', 0.85],
  ['the least of it / by hand', 'PUT', 'http least', 'http by-hand'],
  ['the least of it in Koa / by hand', 'PUT', 'Koa least', 'Koa by-hand'],
  ['the least of it in Express / by hand', 'PUT', 'Express least', 'Express by-hand'],
  ['the least of it with a session / without', 'PUT', 'http least-sessions', 'http least'],
  ['in http / by hand', 'PUT', 'http', 'http by-hand', 0.6],
  ['in Koa / by hand', 'PUT', 'Koa', 'Koa by-hand', 0.85],
  ['in Koa / as usual there', 'PUT', 'Koa', 'Koa usual'],
  ['in Express / by hand', 'PUT', 'Express', 'Express by-hand', 0.9],
  ['in Express / as usual there', 'PUT', 'Express', 'Express usual'],
  ['with a session / without', 'PUT', 'http sessions', 'http', 0.85],
];
const starts = Number(process.argv[2] ?? 5);
/** Of each start. */
const latencyRounds = 5;
const program = new URL('./gateway/server.js', import.meta.url);

interface Server extends Running {
  readonly path: string;
  readonly requests: Readonly<Record<Method, string>>;
}

async function startServer(kind: Kind): Promise<Server> {
  const { child, port, told } = await start(program, kind);
  const caller = told.password === undefined ? told : await loginOfUser(port, told.password);
  const path = `/ws/v2/profile/settings/${caller.user}`;
  const cookie = caller.cookie === undefined ? '' : `cookie: ${caller.cookie}\r\n`;
  const put = (name: string, body: string) =>
    `PUT ${path}/${name} HTTP/1.1\r\nhost: h\r\n${cookie}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  await ask(port, put('small', JSON.stringify({ value: { count: 7, text: 'x'.repeat(48) } })), 1);
  return {
    child,
    port,
    path: `${path}/small`,
    requests: {
      GET: `GET ${path}/small HTTP/1.1\r\nhost: h\r\n${cookie}\r\n`,
      PUT: put('large', JSON.stringify({ value: 'x'.repeat(988) })),
    },
  };
}

const rates = createRates<Kind>();
const slowest = { byHand: [] as number[], ours: [] as number[] };

async function measure(running: ReadonlyMap<Kind, Server>): Promise<void> {
  await rates.measure(running, ({ requests }, method) => requests[method]);
  const [byHand, ours] = [running.get('http by-hand'), running.get('http')];
  // The others, whose load has left them much to clear away, would do that on the same processor.
  for (const one of running.values()) if (one !== byHand && one !== ours) one.child.kill();
  // Several times, in turn: so do these two.
  for (let round = 0; round < latencyRounds; round++) {
    if (byHand) slowest.byHand.push(await p99(byHand.port, byHand.path));
    if (ours) slowest.ours.push(await p99(ours.port, ours.path));
  }
}

shareOneProcessor();
for (let one = 0; one < starts; one++) {
  const running = new Map<Kind, Server>();
  try {
    for (const kind of kinds) running.set(kind, await startServer(kind));
    await measure(running);
  } finally {
    for (const { child } of running.values()) child.kill();
  }
}

const good = report('The whole gateway, requests per processor second', [
  ...methods.flatMap((method) =>
    kinds.map((kind) => ({ what: `${method} ${kind}`, figure: rates.perSecond(method, kind), unit: '/s' })),
  ),
  ...compared.map(([what, method, kind, peer, atLeast]) => ({
    what: `${method} ${what}`,
    figure: rates.ratio(method, kind, peer),
    peer,
    ...(atLeast === undefined ? {} : { goal: { atLeast } }),
  })),
  { what: 'p99 at 1,000 GET/s, by hand', figure: median(slowest.byHand), unit: 'ms' },
  { what: 'p99 at 1,000 GET/s, gateway', figure: median(slowest.ours), unit: 'ms' },
  {
    what: 'p99 at 1,000 GET/s, gateway / by hand',
    figure: median(slowest.ours) / median(slowest.byHand),
    peer: 'http by-hand',
    goal: { atMost: 1.5 },
  },
]);
process.exitCode = good ? 0 : 1;
