import { fork } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { median, report } from './report.js';

// Guarantee 3: nothing that a client sends stops the host's event loop for more than 50 ms. The client is a process of
// its own; the server tells how long its loop stood. Beside each JSON body what JSON.parse alone takes of it here.
//   node build/bench/loop.js

const rounds = 9;
const mebibyte = 1024 * 1024;

/** About `bytes` of JSON: `piece` over and over between the ends. */
const repeated = (open: string, piece: string, close: string, bytes: number) => {
  const count = Math.floor((bytes - open.length - close.length + 1) / (piece.length + 1));
  return open + Array(count).fill(piece).join(',') + close;
};
const keys = (bytes: number) => {
  const members: string[] = [];
  for (let i = 0, left = bytes - 2; left > 12; i++) {
    const member = `"${i.toString(36)}":0`;
    members.push(member);
    left -= member.length + 1;
  }
  return `{${members.join(',')}}`;
};
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const escapes = (bytes: number) => `"${'\\u0001'.repeat(Math.floor((bytes - 2) / 6))}"`;

const valueBytes = mebibyte - 64;
const values: Record<string, string> = {
  'many small keys': keys(valueBytes),
  'as many keys as a body may have': keys(49_000 * 7),
  'as many brackets as a body may have': repeated('[', deep(61), ']', 49_000 * 2),
  'many small objects': repeated('[', '{"a":0}', ']', valueBytes),
  'many numbers': repeated('[', '0', ']', valueBytes),
  'many fractions': repeated('[', '0.1', ']', valueBytes),
  'nested to the limit': repeated('[', deep(61), ']', valueBytes),
  'a long string of escapes': escapes(valueBytes),
  'small strings with escapes': repeated('[', '"\\u005f"', ']', valueBytes),
  'a long string outside of ASCII': `"${'\u00fc'.repeat(valueBytes / 2 - 2)}"`,
};
const messages: Record<string, string> = {
  'many numbers': repeated('[', '0', ']', 8 * mebibyte - 100),
  'many small keys': keys(8 * mebibyte - 100),
  'a long string of escapes': escapes(8 * mebibyte - 100),
  'nested to the limit': repeated('[', deep(61), ']', 8 * mebibyte - 100),
};

const child = fork(new URL('./loop/server.js', import.meta.url));
const [{ port }] = await once(child, 'message');

async function longestStop(work: () => Promise<void>, times = rounds): Promise<number> {
  const stops: number[] = [];
  for (let round = 0; round < times; round++) {
    child.send('start');
    await once(child, 'message');
    await work();
    child.send('stop');
    const [stop] = await once(child, 'message');
    stops.push(stop);
  }
  return median(stops);
}

const api = `http://127.0.0.1:${port}/ws/v2`;
const { userName } = z
  .object({ userName: z.string() })
  .parse(await (await fetch(`${api}/profile/user`)).json());
const settings = `${api}/profile/settings/${encodeURIComponent(userName)}`;

async function put(key: string, value: string): Promise<void> {
  const answer = await fetch(`${settings}/${key}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: `{"value":${value}}`,
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** To a route that parses its body whole; what it says of it does not matter. */
async function putParsed(body: string): Promise<void> {
  const answer = await fetch(`${api}/applications/none/permissions`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.text();
}

async function get(url: string): Promise<void> {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(await answer.text());
  for await (const _ of answer.body ?? []);
}

/** Sends one message, and waits for a small one behind it to come back. */
async function publish(socket: WebSocket, data: string): Promise<void> {
  const came = new Promise((resolve) => {
    socket.on('message', function seen(text) {
      if (!String(text).includes('"bench.end"')) return;
      socket.off('message', seen);
      resolve(undefined);
    });
  });
  socket.send(`{"type":"publish","topic":"bench.large","data":${data}}`);
  socket.send('{"type":"publish","topic":"bench.end","data":0}');
  await came;
}

const timeOf = (work: () => unknown): number =>
  median(
    Array.from({ length: rounds }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    }),
  );

const goal = { atMost: 50 };
const lines: Parameters<typeof report>[1][number][] = [];
try {
  const idle = await longestStop(() => new Promise((resolve) => setTimeout(resolve, 100)));
  lines.push({ what: 'nothing to do, for the scale', figure: idle, unit: 'ms' });

  // It loads all rooms, and each only once.
  const described = await longestStop(() => get(`${api}/openapi.json`), 1);
  lines.push({ what: 'the first GET of openapi.json', figure: described, unit: 'ms', goal });

  for (const [what, value] of Object.entries(values)) {
    const body = `{"value":${value}}`;
    const floor = timeOf(() => JSON.parse(body));
    lines.push({ what: `JSON.parse alone: ${what}`, figure: floor, unit: 'ms' });
    const stop = await longestStop(() => put('large', value));
    lines.push({ what: `PUT a setting of 1 MiB: ${what}`, figure: stop, unit: 'ms', goal });
    const parsed = await longestStop(() => putParsed(body));
    lines.push({ what: `PUT JSON of 1 MiB to be parsed: ${what}`, figure: parsed, unit: 'ms', goal });
  }
  const read = await longestStop(() => get(`${settings}/large`));
  lines.push({ what: 'GET a setting of 1 MiB', figure: read, unit: 'ms', goal });
  for (let i = 0; i < 14; i++) await put(`large-${i}`, values['a long string of escapes'] ?? '');
  const listed = await longestStop(() => get(settings));
  lines.push({ what: 'GET all settings, 15 MiB', figure: listed, unit: 'ms', goal });

  const log = `${api}/applications/app_1/physicalPlan/containers/container_1_01_000002/logs/large.log`;
  for (const [what, greps] of Object.entries({
    'a word': ['ERROR'],
    'a pattern': ['(?i)(warn|error)\\s+org\\.[a-z]+'],
    'a pattern that costs the most': ['.*a.{60}b.{60}$'],
    'eight at once': Array<string>(8).fill('ERROR'),
  })) {
    const from = performance.now();
    const stop = await longestStop(async () => {
      await Promise.all(greps.map((grep) => get(`${log}?grep=${encodeURIComponent(grep)}`)));
    }, 3);
    lines.push({ what: `search a log of 100 MB: ${what}`, figure: stop, unit: 'ms', goal });
    lines.push({ what: `  it took`, figure: (performance.now() - from) / 3000, unit: 's' });
  }
  const part = await longestStop(() => get(`${log}?includeOffset=true&end=5000000`), 3);
  lines.push({ what: 'GET 50,000 lines with their offsets', figure: part, unit: 'ms', goal });

  const socket = new WebSocket(`ws://127.0.0.1:${port}/pubsub`);
  await once(socket, 'open');
  socket.send('{"type":"subscribe","topic":"bench.end"}');
  for (const [what, data] of Object.entries(messages)) {
    const stop = await longestStop(() => publish(socket, data));
    lines.push({ what: `publish 8 MiB: ${what}`, figure: stop, unit: 'ms', goal });
  }
  socket.close();
} finally {
  child.disconnect();
}
process.exitCode = report('Longest stop of the event loop (median of rounds)', lines) ? 0 : 1;
