import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { mapLimited } from '../lib/runtime/map-limited.js';
import { rightPassword } from './logins/bare.js';
import type { Order, Seen } from './logins/server.js';
import { type Line, report } from './report.js';

// Ten thousand wrong logins of each kind: what they do to the event loop and to the heap, beside a bare server that is
// sent the same ones and makes as many hashes by crypto.scrypt. Hashes take the processors from everybody, so that a loop
// also stands without doing anything: what it holds itself is the goal, and the whole is told. Then a hundred people
// log in at once, and come again when they are told to: until the last one is in.
//   node build/bench/logins.js

const count = 10_000;
const atOnce = 100;
/** A few seconds of requests, and then the passwords that wait, a third of a second each. */
const timeoutMillis = 120_000;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: 'gateway' | 'bare'): Promise<Running> {
  const child = fork(new URL('./logins/server.js', import.meta.url), [kind], { execArgv: ['--expose-gc'] });
  const [{ port }] = await once(child, 'message');
  return { child, port };
}

async function tell({ child }: Running, order: Order): Promise<Seen> {
  child.send(order);
  return (await once(child, 'message'))[0];
}

interface Answered {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number;
}

/** Each `localAddress` of the loopback is a stranger of its own. */
function login(
  port: number,
  userName: string,
  localAddress = '127.0.0.1',
  password = 'wrong',
): Promise<Answered> {
  const body = JSON.stringify({ userName, password });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const to = { port, host: '127.0.0.1', path: '/ws/v2/login', method: 'POST', agent: false };
  return new Promise((resolve, reject) => {
    request({ ...to, headers, localAddress }, (response) => {
      const { statusCode: status = 0, headers } = response;
      const retryAfter = Number(headers['retry-after'] ?? Number.NaN);
      response.resume().once('end', () => resolve({ status, retryAfter }));
    })
      .on('error', reject)
      .end(body);
  });
}

const statusOf = async (answered: Promise<Answered>): Promise<number> => (await answered).status;

/** Resolves the status. */
type Attempt = (port: number, i: number) => Promise<number>;

const kinds: Record<string, Attempt> = {
  'one name from one address': (port) => statusOf(login(port, 'admin')),
  'many names from one address': (port, i) => statusOf(login(port, `user-${i}`)),
  'one name from many addresses': (port, i) => statusOf(login(port, 'admin', `127.1.${i >> 8}.${i & 255}`)),
  'many names from many addresses': (port, i) =>
    statusOf(login(port, `user-${i}`, `127.2.${i >> 8}.${i & 255}`)),
};

const personOf = (i: number): string => `person-${i}`;

/** Accounts of so many people. */
async function register(port: number, people: number): Promise<void> {
  const call = (method: string, path: string, body: object, cookie = '') =>
    fetch(`http://127.0.0.1:${port}/ws/v2/${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const admin = await call('POST', 'login', { userName: 'admin', password: rightPassword });
  const cookie = admin.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const account = { password: rightPassword, roles: ['developer'] };
  const names = Array.from({ length: people }, (_, i) => personOf(i));
  await mapLimited(names, 2, async (name) => {
    const { ok, status } = await call('PUT', `auth/users/${name}`, account, cookie.join('; '));
    if (!ok) throw new Error(`${name} was refused with ${status}`);
  });
}

/** With the right password, and again when told to, as a console does. */
async function insist(port: number, i: number, onTurnedAway: () => void): Promise<number> {
  for (;;) {
    const { status, retryAfter } = await login(port, personOf(i), `127.3.0.${i}`, rightPassword);
    if (status !== 503 || Number.isNaN(retryAfter)) return status;
    onTurnedAway();
    await delay(retryAfter * 1000);
  }
}

async function measure(running: Running, attempt: Attempt, hashes = 0, howMany = count) {
  const numbers = Array.from({ length: howMany }, (_, i) => i);
  await tell(running, { order: 'start', hashes });
  const began = performance.now();
  const statuses = await mapLimited(numbers, atOnce, (i) => {
    if (performance.now() - began > timeoutMillis) throw new Error(`${i} logins took ${timeoutMillis} ms`);
    return attempt(running.port, i);
  });
  const seconds = (performance.now() - began) / 1000;
  return { ...(await tell(running, { order: 'stop' })), statuses, seconds };
}

const [gateway, bare] = await Promise.all([start('gateway'), start('bare')]);
try {
  const lines: Line[] = [];
  // Before anybody is wrong: the administrator is then locked out from here.
  await register(gateway.port, atOnce);
  // What is compiled and made at the first thousand logins is no part of the question.
  const warm = kinds['one name from one address'] ?? Promise.reject;
  const { heapMiB } = await measure(gateway, warm);
  await measure(bare, warm);
  for (const [what, attempt] of Object.entries(kinds)) {
    const ours = await measure(gateway, attempt);
    const checked = ours.statuses.filter((status) => status === 401).length;
    const others = ours.statuses.filter((status) => ![401, 429, 503].includes(status)).length;
    const least = await measure(bare, attempt, checked);
    lines.push(
      { what: `${what}: longest stop`, figure: ours.held, unit: 'ms', goal: { atMost: 50 } },
      { what: '  bare', figure: least.held, unit: 'ms' },
      { what: '  with waiting for a processor', figure: ours.stood, unit: 'ms' },
      { what: '  bare', figure: least.stood, unit: 'ms' },
      { what: '  passwords checked', figure: checked, unit: `of ${count}` },
      { what: '  it took', figure: ours.seconds, unit: 's' },
      { what: '  other answers than 401, 429, 503', figure: others, goal: { atMost: 0 } },
      {
        what: '  heap more than at the start',
        figure: ours.heapMiB - heapMiB,
        unit: 'MiB',
        goal: { atMost: 32 },
      },
    );
  }
  const cameAgain: number[] = [];
  const ours = await measure(gateway, (port, i) => insist(port, i, () => cameAgain.push(i)), 0, atOnce);
  const letIn = ours.statuses.filter((status) => status === 200).length;
  const least = await measure(bare, kinds['one name from one address'] ?? Promise.reject, letIn, atOnce);
  lines.push(
    { what: `${atOnce} log in at once: longest stop`, figure: ours.held, unit: 'ms', goal: { atMost: 20 } },
    { what: '  bare', figure: least.held, unit: 'ms' },
    { what: '  let in', figure: letIn, unit: `of ${atOnce}`, goal: { atLeast: atOnce } },
    // No more wait for a hash than are answered in time; the rest is told when to come again.
    { what: '  had to come again', figure: new Set(cameAgain).size, unit: `of ${atOnce}` },
    { what: '  until all were in', figure: ours.seconds, unit: 's' },
    {
      what: '  by the hashes alone',
      figure: ours.seconds / least.seconds,
      peer: 'the hashes alone',
      goal: { atMost: 1.3 },
    },
  );
  process.exitCode = report('logins', lines) ? 0 : 1;
} finally {
  gateway.child.disconnect();
  bare.child.disconnect();
}
