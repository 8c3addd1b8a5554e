import { type Clients, hasNats, type Measured, startClients, startServer } from './hub/processes.js';
import { dataOf, type Kind } from './hub/wire.js';
import { type Line, median, report } from './report.js';

// Goals 1 to 11 of the hub, each against its peers in the same run, in turn. Per processor second of the server alone.
//   node build/bench/hub.js [case...]

const rounds = 6;
const eightTopics = Array.from({ length: 8 }, (_, index) => `t${index}`);
const tenTopics = Array.from({ length: 10 }, (_, index) => `t${index}`);

interface Setting {
  readonly kinds: readonly Kind[];
  readonly subscribers: number;
  readonly topics: readonly string[];
  /** Every subscriber listens to all topics, or each to one. */
  readonly all: boolean;
  readonly bytes: number;
  readonly ms: number;
  readonly inFlight?: number;
}

/** Kind to messages a processor second, of each round. */
type Figures = ReadonlyMap<Kind, readonly number[]>;

let lost = 0;
let dropped = 0;
const lines: Line[] = [];

async function compare(setting: Setting): Promise<Figures> {
  const { kinds, subscribers, all, bytes, ms, inFlight = 1 } = setting;
  const topics = [...setting.topics];
  return withServers(kinds, async (servers) => {
    for (const { kind, port, clients } of servers) {
      await clients.do('connect', { name: kind, kind, port, count: subscribers, topics, perClient: all });
    }
    const figures = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
    // The first round warms the compilers up.
    for (let round = 0; round <= rounds; round++) {
      for (const { kind, cpu, clients } of servers) {
        const before = await cpu();
        const done = await clients.do('run', { name: kind, topics, bytes, ms, inFlight });
        const seconds = (await cpu()) - before;
        const deliveries = done.bursts * topics.length * (all ? subscribers : subscribers / topics.length);
        lost += done.lost;
        if (round > 0) figures.get(kind)?.push(deliveries / seconds);
      }
    }
    for (const { kind, clients } of servers) dropped += (await clients.do('received', { name: kind })).closed;
    return figures;
  });
}

/** A server, and the process of its clients: one process may not have as many sockets as all of them. */
interface Party extends Measured {
  readonly clients: Clients;
}

async function withServers<T>(
  kinds: readonly Kind[],
  work: (servers: readonly Party[]) => Promise<T>,
): Promise<T> {
  const servers: Party[] = [];
  try {
    for (const kind of kinds) servers.push({ ...(await startServer(kind)), clients: startClients() });
    return await work(servers);
  } finally {
    for (const { clients } of servers) await clients.stop();
    for (const server of servers) await server.stop();
  }
}

/** Of rounds that stood side by side. */
const ratio = (figures: Figures, kind: Kind, to: Kind): number =>
  median((figures.get(kind) ?? []).map((value, round) => value / (figures.get(to)?.[round] ?? Number.NaN)));

function show(title: string, figures: Figures, what = 'messages'): void {
  console.log(`\n${title}`);
  for (const kind of figures.keys()) {
    const figure = median(figures.get(kind) ?? []);
    const scale = Math.round(figure).toLocaleString('en');
    console.log(
      `  ${kind.padEnd(10)} ${ratio(figures, kind, 'limit').toFixed(2)} of the limit, ${scale} ${what}/core-s`,
    );
    lines.push({ what: `${title}: ${kind}`, figure, unit: `${what}/core-s` });
  }
}

const names: Partial<Record<Kind, string>> = { limit: 'bare ws', 'socket.io': 'Socket.IO', nats: 'NATS' };
const beside = (kind?: Kind) => (kind === undefined ? {} : { peer: names[kind] ?? kind });

const atLeast = (number: string, line: string, figure: number, least: number, peer?: Kind): void => {
  lines.push({ what: `${number}: ${line}`, figure, ...beside(peer), goal: { atLeast: least } });
};
const atMost = (number: string, line: string, figure: number, most: number, peer?: Kind): void => {
  lines.push({ what: `${number}: ${line}`, figure, ...beside(peer), goal: { atMost: most } });
};
/** What a figure is seen beside: a floor, or how the peers stand to each other. */
const scale = (what: string, figure: number, peer: Kind): void => {
  lines.push({ what, figure, ...beside(peer) });
};

const peers: Kind[] = [
  'limit',
  'headgate',
  'unjoined',
  'stringify',
  'socket.io',
  ...(hasNats() ? ['nats' as const] : []),
];

async function fanOut(): Promise<void> {
  const single = await compare({
    kinds: [...peers, 'handles'],
    subscribers: 1000,
    topics: ['t'],
    all: true,
    bytes: 200,
    ms: 500,
  });
  show('1,000 subscribers, one 200-byte message at a time', single);
  atLeast('1', 'fan-out to 1,000: Headgate / limit', ratio(single, 'headgate', 'limit'), 1.15, 'limit');
  scale("the same past Node's streams / limit", ratio(single, 'handles', 'limit'), 'limit');
  atLeast(
    '2',
    'the same: Headgate / Socket.IO rooms',
    ratio(single, 'headgate', 'socket.io'),
    1.5,
    'socket.io',
  );
  // Nearly all of it is the kernel's: where its writes are slow, the limit itself comes down to this goal.
  scale('the same: the limit / Socket.IO rooms', ratio(single, 'limit', 'socket.io'), 'socket.io');
}

async function large(): Promise<void> {
  const setting = { subscribers: 1000, topics: ['t'], all: true, bytes: 2000, ms: 500 };
  const figures = await compare({ ...setting, kinds: peers });
  show('1,000 subscribers, one 2-kB message at a time', figures);
  atLeast('1', 'fan-out of 2 kB to 1,000: Headgate / limit', ratio(figures, 'headgate', 'limit'), 1, 'limit');
}

async function bursts(): Promise<void> {
  const setting = { subscribers: 1000, topics: eightTopics, all: true, bytes: 200, ms: 500 };
  const burst = await compare({ ...setting, kinds: peers });
  show('1,000 subscribers of 8 topics that are published together', burst);
  atLeast('3', '8 topics in one burst: Headgate / limit', ratio(burst, 'headgate', 'limit'), 1, 'limit');
  atLeast('4', 'the same: Headgate / Socket.IO rooms', ratio(burst, 'headgate', 'socket.io'), 6, 'socket.io');
  if (hasNats()) atLeast('4', 'the same: Headgate / NATS', ratio(burst, 'headgate', 'nats'), 1, 'nats');
}

async function many(): Promise<void> {
  const kinds: Kind[] = ['limit', 'headgate'];
  for (const subscribers of [5000, 10_000]) {
    const figures = await compare({ kinds, subscribers, topics: ['t'], all: true, bytes: 200, ms: 1000 });
    const count = subscribers.toLocaleString('en');
    show(`${count} subscribers, one 200-byte message at a time`, figures);
    atLeast('5', `fan-out to ${count}: Headgate / limit`, ratio(figures, 'headgate', 'limit'), 1, 'limit');
  }
}

async function fanIn(): Promise<void> {
  const setting = { subscribers: 10, topics: tenTopics, all: false, bytes: 200, ms: 500, inFlight: 1 };
  const figures = await compare({ ...setting, kinds: [...peers, 'checked'] });
  show('10 topics of one subscriber each', figures);
  atLeast('6', 'fan-in: Headgate / limit', ratio(figures, 'headgate', 'limit'), 1, 'limit');
  scale('the same, bare ws with messages checked / limit', ratio(figures, 'checked', 'limit'), 'limit');
}

/** Sockets opened a processor second, the end of each included. */
async function opening(): Promise<void> {
  const kinds: Kind[] = [
    'limit',
    'headgate',
    'gateway',
    'socket.io',
    ...(hasNats() ? ['nats' as const] : []),
  ];
  const count = 2000;
  const figures = await withServers(kinds, async (servers) => {
    const opened = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const { kind, port, cpu, clients } of servers) {
        const before = await cpu();
        await clients.do('come', { kind, port, count });
        if (round > 0) opened.get(kind)?.push(count / ((await cpu()) - before));
      }
    }
    return opened;
  });
  show('Sockets that are opened', figures, 'sockets');
  atLeast('11', 'sockets opened: the hub / bare ws', ratio(figures, 'headgate', 'limit'), 0.8, 'limit');
  atLeast(
    '11',
    'sockets opened: a whole gateway / bare ws',
    ratio(figures, 'gateway', 'limit'),
    0.8,
    'limit',
  );
}

async function delays(): Promise<void> {
  await withServers(['limit', 'headgate'], async (servers) => {
    const medians = new Map<Kind, number[]>();
    for (const { kind, port, clients } of servers) {
      await clients.do('connect', { name: kind, kind, port, count: 1000, topics: ['t'], perClient: true });
    }
    console.log('\nDelay at 10,000 deliveries a second to 1,000 subscribers');
    for (let round = 0; round < 3; round++) {
      for (const { kind, clients } of servers) {
        const { median, p99 } = await clients.do('latency', {
          name: kind,
          topics: ['t'],
          bytes: 200,
          count: 20,
        });
        medians.set(kind, [...(medians.get(kind) ?? []), median]);
        console.log(`  ${kind.padEnd(10)} median ${median.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
      }
    }
    atMost('7', 'median delay: Headgate / limit', ratio(medians, 'headgate', 'limit'), 1.25, 'limit');
  });
}

async function memory(): Promise<void> {
  const kinds: readonly Kind[] = ['limit', 'headgate', 'socket.io'];
  const figures = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < 3; round++) {
    for (const kind of kinds) figures.get(kind)?.push(await memoryOfOne(kind));
  }
  console.log('\nMemory of an idle subscriber');
  for (const kind of kinds) {
    console.log(`  ${kind.padEnd(10)} ${(of(kind) / 1000).toFixed(1)} kB`);
    lines.push({ what: `an idle subscriber: ${kind}`, figure: of(kind) / 1000, unit: 'kB' });
  }
  atMost('8', 'memory a connection: Headgate / limit', of('headgate') / of('limit'), 1.15, 'limit');

  function of(kind: Kind): number {
    return median(figures.get(kind) ?? []);
  }
}

const memoryOfOne = (kind: Kind): Promise<number> =>
  withServers([kind], async ([server]) => {
    if (!server) return Number.NaN;
    const { clients } = server;
    const group = { kind, port: server.port, topics: ['t'], perClient: true };
    const count = 6000;
    // They stay: what they left behind would be the room of the next.
    await clients.do('connect', { ...group, name: 'first', count: 1000 });
    const before = await server.memory();
    await clients.do('connect', { ...group, name: 'measured', count });
    return ((await server.memory()) - before) / count;
  });

/** 100 of 1,000 stop reading. The rest must get everything, and the server must not keep what the frozen don't take. */
async function frozen(): Promise<void> {
  const bytes = 64 * 1024;
  const messages = 100;
  const meant = 100 * messages * bytes;
  console.log('\n100 of 1,000 subscribers frozen, 100 snapshots of 64 KiB');
  await withServers(['headgate'], async ([server]) => {
    if (!server) return;
    const { clients } = server;
    const group = { name: 'frozen', kind: 'headgate' as const, port: server.port };
    await clients.do('connect', { ...group, count: 1000, topics: ['cluster.bench'], perClient: true });
    await clients.do('freeze', { name: 'frozen', count: 100 });
    const before = await server.memory();
    for (let i = 0; i < messages; i++) {
      await server.push('cluster.bench', dataOf(bytes));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    const { healthy, closed } = await clients.do('received', { name: 'frozen' });
    const growth = Math.max(0, (await server.memory()) - before) / meant;
    const payload = '{"type":"data","topic":"cluster.bench","data":}'.length + bytes;
    const isWhole = healthy.length === 1 && (healthy[0] ?? 0) >= payload * messages;
    console.log(
      `  growth ${(growth * 100).toFixed(1)} % of ${meant / 1e6} MB, healthy got all: ${isWhole}, closed: ${closed}`,
    );
    atMost('9', 'frozen: growth / bytes meant for them', growth, 0.05);
    atLeast('9', 'frozen: the healthy got everything', Number(isWhole), 1);
    dropped += closed;
  });
}

if (!hasNats()) console.log('nats-server is not installed (apt-get install nats-server): NATS is left out');
const cases = { fanOut, large, bursts, many, fanIn, opening, delays, memory, frozen };
const chosen = process.argv.slice(2);
for (const [name, run] of Object.entries(cases)) {
  if (chosen.length === 0 || chosen.includes(name)) await run();
}
atMost('10', 'bytes lost in all cases', lost, 0);
atMost('10', 'connections dropped in all cases', dropped, 0);
console.log('');
process.exitCode = report('Hub', lines) ? 0 : 1;
