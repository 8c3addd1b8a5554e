import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { mapLimited } from '../lib/core/map-limited.js';
import { type Line, median, report } from './report.js';

// Ten thousand wrong logins of each kind: what they do to the event loop, to the heap, and to somebody who knows the password.
//   node build/bench/logins.js

const count = 10_000;
const atOnce = 100;
const part = 1000;

const child = fork(new URL('./logins/server.js', import.meta.url), { execArgv: ['--expose-gc'] });
const [{ port }] = await once(child, 'message');
const told = async (order: 'start' | 'stop'): Promise<{ stop: number; heapMiB: number }> => {
  child.send(order);
  const [answer] = await once(child, 'message');
  return answer;
};

/** Resolves the status. Each `localAddress` of the loopback is a stranger of its own. */
function login(userName: string, password: string, localAddress = '127.0.0.1'): Promise<number> {
  const body = JSON.stringify({ userName, password });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: '/ws/v2/login',
      method: 'POST',
      headers,
      localAddress,
      agent: false,
    };
    request(options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body);
  });
}

const kinds: Record<string, (i: number) => Promise<number>> = {
  'one name from one address': () => login('admin', 'wrong'),
  'many names from one address': (i) => login(`user-${i}`, 'wrong'),
  'one name from many addresses': (i) => login('admin', 'wrong', `127.1.${i >> 8}.${i & 255}`),
  'many names from many addresses': (i) => login(`user-${i}`, 'wrong', `127.2.${i >> 8}.${i & 255}`),
};

const numbers = Array.from({ length: count }, (_, i) => i);
const lines: Line[] = [];
await told('start');
const before = await told('stop');
for (const [what, attempt] of Object.entries(kinds)) {
  const statuses: number[] = [];
  const stops: number[] = [];
  let heapMiB = 0;
  for (let at = 0; at < count; at += part) {
    await told('start');
    statuses.push(...(await mapLimited(numbers.slice(at, at + part), atOnce, attempt)));
    const answer = await told('stop');
    stops.push(answer.stop);
    heapMiB = answer.heapMiB;
  }
  const checked = statuses.filter((status) => status === 401).length;
  const others = statuses.filter((status) => ![401, 429, 503].includes(status)).length;
  lines.push(
    {
      what: `${what}: longest stop, median of ${count / part} parts`,
      figure: median(stops),
      unit: 'ms',
      goal: { atMost: 50 },
    },
    { what: `${what}: passwords checked`, figure: checked, unit: `of ${count}` },
    { what: `${what}: other answers than 401, 429, 503`, figure: others, goal: { atMost: 0 } },
    {
      what: `${what}: heap more than at the start`,
      figure: heapMiB - before.heapMiB,
      unit: 'MiB',
      goal: { atMost: 32 },
    },
  );
}
const ok = report('wrong logins', lines);
child.disconnect();
process.exitCode = ok ? 0 : 1;
