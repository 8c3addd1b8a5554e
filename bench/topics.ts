import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { as } from '../test/helpers/people.js';
import { median, report } from './report.js';
import type { Cost, Least, Question } from './topics/server.js';

// Goals 24 and 25: 1,000 applications of 100 operators, of which some are watched. The gateway is a process of its own,
// whole, on files; its cluster is a double that costs next to nothing and counts how often it is asked. Subscribers
// are real WebSockets of this process. Beside it, from the same process, a bare loop that does the least that anybody
// must: JSON.stringify of the same values, one frame each, one write a socket.
//
// Nobody looks at 50 applications at once: a console listens to the list and to the application whose page is open. So there is a
// line for ten people with a page of another application each, beside those for all topics of all that are watched. Beside it the
// least for the same people: their list is 0.5 MB a second to each of them, which is most of it.
//
// Nearly all of it is JSON.stringify, and how dear that is depends on the runtime: the same texts in a row take 2.7 % of a core
// on Node 20, 1.7 % on 22, 1.6 % on 24 and 1.0 % on 26, and all topics 1.5 to 1.9 times as much. So the goal of 3 % of a core
// holds from Node 24 on, and is missed by a tenth on 22 (on a busy machine); on Node 20 the texts alone leave no room for it,
// and the ratio counts. Beside the texts, of 4.5 % on Node 20, about: cold caches once a second (0.5), 200 readings with a
// deadline each (0.6), the list of all applications (0.3), the newest of each kept for those who join (0.2), the collector (0.2). Whatever wakes the process up
// comes on top, so timers that do nothing are measured too.
// Tried for the texts, and slower on one runtime or more: strings joined by a function for each shape (2 times as long on Node
// 20 and 26), the same into bytes (1.6 on 20, 0.8 on 22 and 24, 1.3 on 26), a writer that remembers the keys it wrote last (15 on
// 26). Texts kept for each operator and joined: no part of one topic is in another, so nothing is made twice; joining parts takes
// a quarter longer than making the whole, and finding the operators that did not change as long as writing them.
//   node build/bench/topics.js [seconds of each case]

const applications = 1000;
const operators = 100;
const watched = Array.from({ length: applications / 20 }, (_, i) => {
  return `application_1700000000000_${String(i * 20 + 1).padStart(4, '0')}`;
});
const snapshots = ['', '.containers', '.physicalOperators', '.logicalOperators'];
const parts = [...snapshots, '.events'];
/** Of which somebody has the page open. */
const onScreen = watched.slice(0, 10);
const seconds = Number(process.argv[2] ?? 15);

const child = fork(
  new URL('./topics/server.js', import.meta.url),
  [String(applications), String(operators)],
  {
    // The collector's helpers wait for each other where others use the processors too: stops that are nobody's doing.
    execArgv: ['--single-threaded-gc'],
  },
);
const [port] = await once(child, 'message');

async function ask<T>(question: Question): Promise<T> {
  const answer = once(child, 'message');
  child.send(question);
  return (await answer)[0];
}

interface Subscriber {
  readonly socket: WebSocket;
  readonly topics: readonly string[];
  readonly heard: Map<string, number>;
}

async function open(headers: Record<string, string>, topics: readonly string[]): Promise<Subscriber> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/pubsub`, { headers });
  const heard = new Map<string, number>();
  socket.on('message', (data: Buffer) => {
    // {"type":"data","topic":"...
    const topic = data.toString('latin1', 24, data.indexOf(0x22, 24));
    heard.set(topic, (heard.get(topic) ?? 0) + 1);
  });
  await once(socket, 'open');
  return { socket, topics, heard };
}

/** Watchers of every application in the 5 %, and of the list: administrators, owners and one who sees it all. */
async function openAll(ofEach: number): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = [];
  for (const appId of watched) {
    const topics = parts.map((part) => `applications.${appId}${part}`);
    for (let i = 0; i < ofEach; i++) subscribers.push(await open(as('root', 'admin').headers, topics));
  }
  for (let i = 0; i < ofEach; i++) {
    const callers = [as('root', 'admin'), as(`user${i}`, 'developer'), as('oscar', 'operator')];
    for (const { headers } of callers)
      subscribers.push(await open(headers, ['applications', 'cluster.metrics']));
  }
  return subscribers;
}

/** One for each application on a screen: the list in the navigation, and everything that its pages show. */
function openConsoles(): Promise<Subscriber[]> {
  return Promise.all(
    onScreen.map((appId) => {
      const topics = parts.map((part) => `applications.${appId}${part}`);
      return open(as('root', 'admin').headers, ['applications', ...topics]);
    }),
  );
}

async function cost(what: 'cpu' | 'stops', millis: number, eventsOf: readonly string[] = []): Promise<Cost> {
  await ask({ ask: 'start', what, eventsOf });
  await delay(millis);
  return ask<Cost>({ ask: 'stop' });
}

/** The longest of two seconds; the median of several. */
async function typicalStop(millis: number, eventsOf: readonly string[] = []): Promise<number> {
  const stops: number[] = [];
  for (let left = millis; left > 0; left -= 2000)
    stops.push((await cost('stops', 2000, eventsOf)).longestStop);
  return median(stops);
}

/** The least that any server does, to as many sockets as there are applications, or without sending. */
async function bareLoop(
  millis: number,
  what: 'sent' | 'texts',
  appIds: readonly string[] = watched,
  hasList = false,
): Promise<Least> {
  const open = () => new WebSocket(`ws://127.0.0.1:${port}/bare`);
  const sockets = what === 'sent' ? appIds.map(open) : [];
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  const answer = await ask<Least>({ ask: 'bare', appIds, millis, hasList });
  for (const socket of sockets) socket.terminate();
  return answer;
}

interface Watched {
  readonly cpu: Cost;
  readonly longestStop: number;
  readonly longestWhileSubscribing: number;
  readonly isWhole: boolean;
}

async function measure(
  millis: number,
  opened: Promise<Subscriber[]>,
  eventsOf: readonly string[] = watched,
): Promise<Watched> {
  const subscribers = await opened;
  const sendAll = (type: 'subscribe' | 'unsubscribe') => {
    for (const { socket, topics } of subscribers) {
      for (const topic of topics) socket.send(JSON.stringify({ type, topic }));
    }
  };
  const stops: number[] = [];
  for (let time = 0; time < 5; time++) {
    if (time > 0) sendAll('unsubscribe');
    await delay(500);
    const subscribing = cost('stops', 2000);
    sendAll('subscribe');
    stops.push((await subscribing).longestStop);
  }
  const longestWhileSubscribing = median(stops);
  for (const { heard } of subscribers) heard.clear();
  const cpu = await cost('cpu', millis, eventsOf);
  // Every topic moved about once a second; `cluster.metrics` does so every 5.
  const expected = (topic: string) => (millis / (topic === 'cluster.metrics' ? 5000 : 1000)) * 0.8;
  const isWhole = subscribers.every(({ topics, heard }) =>
    topics.every((topic) => (heard.get(topic) ?? 0) >= Math.floor(expected(topic))),
  );
  const longestStop = await typicalStop(millis, eventsOf);
  for (const { socket } of subscribers) socket.terminate();
  return { cpu, longestStop, longestWhileSubscribing, isWhole };
}

/** With listeners inside the gateway to these parts, as alerts are: read and written as JSON once a tick, not sent. */
async function heardInside(
  millis: number,
  parts: readonly string[],
  others: readonly string[],
  eventsOf: readonly string[] = [],
): Promise<Least> {
  const topics = watched.flatMap((appId) => parts.map((part) => `applications.${appId}${part}`));
  await ask({ ask: 'listen', topics: [...others, ...topics] });
  await delay(1500);
  const { cpu, heard, seconds } = await cost('cpu', millis, eventsOf);
  await ask({ ask: 'listen', topics: [] });
  return { cpu, bytes: heard / seconds };
}

const lines: Parameters<typeof report>[1][number][] = [];
const percent = (share: number) => share * 100;
try {
  // The first run warms the compilers up.
  await measure(3000, openAll(1));
  await delay(1000);

  const idle = await cost('cpu', seconds * 1000);
  lines.push(
    { what: 'nobody watches: calls of the cluster', figure: idle.lists + idle.masters, goal: { atMost: 0 } },
    { what: 'nobody watches: share of a core', figure: percent(idle.cpu), unit: '%', goal: { atMost: 0.2 } },
  );

  // Each round measures all of them in turn, because the machine's mood changes.
  const rounds: { row: Least; spread: Least; texts: Least; events: Least; wakes: number }[] = [];
  for (let round = 0; round < 5; round++) {
    // All texts of a second come at one beat.
    const millis = Math.ceil(seconds / 4) * 1000;
    rounds.push({
      row: await ask<Least>({ ask: 'in a row', appIds: watched }),
      spread: await bareLoop(millis, 'texts'),
      texts: await heardInside(millis, snapshots, ['applications', 'cluster.metrics']),
      events: await heardInside(millis, ['.events'], [], watched),
      wakes: await ask<number>({ ask: 'wake', perSecond: watched.length, millis }),
    });
  }
  const typical = (figureOf: (round: (typeof rounds)[number]) => number) => median(rounds.map(figureOf));
  const perByte = ({ cpu, bytes }: Least) => cpu / bytes;
  const mbOf = (bytes: number) => (bytes / 1e6).toFixed(1);
  const textBytes = typical(({ row }) => row.bytes);
  lines.push(
    {
      what: `JSON.stringify alone, a second's texts (${mbOf(typical(({ row }) => row.bytes))} MB) in a row`,
      figure: percent(typical(({ row }) => row.cpu)),
      unit: '%',
    },
    {
      // On a busy machine the loop misses some of its turns.
      what: `JSON.stringify alone, ${mbOf(typical(({ spread }) => spread.bytes))} MB over a second`,
      figure: percent(typical(({ spread }) => spread.cpu)),
      unit: '%',
    },
    {
      what: `all topics computed (${mbOf(textBytes)} MB a second), nothing sent: share of a core`,
      figure: percent(typical(({ texts }) => texts.cpu)),
      unit: '%',
      goal: { atMost: 3 },
    },
    {
      // The goal on any machine and runtime: 3 % where the texts in a row took 1.8 %.
      what: 'the same / JSON.stringify in a row, a byte',
      figure: typical(({ row, texts }) => perByte(texts) / perByte(row)),
      peer: 'JSON.stringify in a row',
      goal: { atMost: 1.67 },
    },
    {
      what: 'the same / JSON.stringify over a second, a byte',
      figure: typical(({ spread, texts }) => perByte(texts) / perByte(spread)),
      peer: 'JSON.stringify over a second',
      goal: { atMost: 1.5 },
    },
    {
      what: `${watched.length} events a second, each by itself, nothing sent: share of a core`,
      figure: percent(typical(({ events }) => events.cpu)),
      unit: '%',
    },
    {
      what: `${watched.length} timers a second that do nothing`,
      figure: percent(typical(({ wakes }) => wakes)),
      unit: '%',
    },
  );

  const leastOfConsoles = await bareLoop((seconds * 1000) / 2, 'sent', onScreen, true);
  const consoles = await measure(seconds * 1000, openConsoles(), onScreen);
  const howMany = `${onScreen.length} consoles`;
  lines.push(
    {
      what: `a bare loop, the list and ${onScreen.length} applications, to ${onScreen.length} sockets`,
      figure: percent(leastOfConsoles.cpu),
      unit: '%',
    },
    {
      what: `${howMany}, each with the list and a page of another application: share of a core`,
      figure: percent(consoles.cpu.cpu),
      unit: '%',
      goal: { atMost: 3 },
    },
    {
      what: `${howMany}: the same / bare loop`,
      figure: consoles.cpu.cpu / leastOfConsoles.cpu,
      peer: 'a bare loop',
    },
    { what: `${howMany}: longest stop`, figure: consoles.longestStop, unit: 'ms', goal: { atMost: 20 } },
    {
      what: `${howMany}: longest stop when all subscribe at once`,
      figure: consoles.longestWhileSubscribing,
      unit: 'ms',
      goal: { atMost: 20 },
    },
    { what: `${howMany}: got every message`, figure: Number(consoles.isWhole), goal: { atLeast: 1 } },
  );

  for (const ofEach of [1, 10]) {
    const before = await bareLoop((seconds * 1000) / 2, 'sent');
    const { cpu, longestStop, longestWhileSubscribing, isWhole } = await measure(
      seconds * 1000,
      openAll(ofEach),
    );
    const after = await bareLoop((seconds * 1000) / 2, 'sent');
    const bare = { cpu: (before.cpu + after.cpu) / 2, bytes: (before.bytes + after.bytes) / 2 };
    const perTopic = cpu.masters / cpu.seconds / (watched.length * 4);
    const who = `${ofEach} subscriber${ofEach === 1 ? '' : 's'} a topic`;
    // With ten the kernel's copies count, and 2,650 messages that arrive in one instant.
    const goalOfOne = (atMost: number) => (ofEach === 1 ? { goal: { atMost } } : {});
    const mb = mbOf(bare.bytes);
    lines.push(
      { what: `a bare loop, ${mb} MB a second to one each`, figure: percent(bare.cpu), unit: '%' },
      { what: `${who}: share of a core, sending included`, figure: percent(cpu.cpu), unit: '%' },
      {
        what: `${who}: the same / bare loop, a byte`,
        figure: cpu.cpu / textBytes / perByte(bare),
        peer: 'a bare loop',
        ...goalOfOne(2),
      },
      { what: `${who}: longest stop`, figure: longestStop, unit: 'ms', goal: { atMost: 20 } },
      {
        what: `${who}: longest stop when all subscribe at once`,
        figure: longestWhileSubscribing,
        unit: 'ms',
        ...goalOfOne(20),
      },
      { what: `${who}: got every message`, figure: Number(isWhole), goal: { atLeast: 1 } },
      {
        what: `${who}: readings a second of a topic`,
        figure: perTopic,
        // All of them come at one beat, which may be the first or the last thing that is counted.
        goal: { atMost: Number((1 + 1.05 / seconds).toFixed(2)) },
      },
      {
        what: `${who}: lists of applications a second`,
        figure: cpu.lists / cpu.seconds,
        goal: { atMost: 2.05 },
      },
    );
  }
} finally {
  child.disconnect();
}
const title = `${applications} applications of ${operators} operators, 5 % watched; Node ${process.versions.node}`;
process.exitCode = report(title, lines) ? 0 : 1;
