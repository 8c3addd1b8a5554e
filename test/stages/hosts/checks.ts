import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import { checkReplies } from '../../../lib/client/replies.js';
import { type Client, createClient } from '../../../lib/client.js';
import { adminPassword } from '../../helpers/accounts.js';
import { exchangeOf } from '../../helpers/live-exchange.js';
import { packageOf } from '../../helpers/packages.js';
import { until, untilTrue } from '../../helpers/waiting.js';

// What has to hold in each host: one function for each column of the table in docs/hosts.md that is about a host as it is
// mounted. Each rejects when it does not hold.

/** Where a host shows its gateway. */
export interface Mounted {
  /** Of the host. */
  readonly origin: string;
  readonly prefix: string;
}

interface Visit {
  teardown(end: () => unknown): unknown;
}

export type Check = (t: Visit, at: Mounted) => Promise<void>;

const baseUrlOf = ({ origin, prefix }: Mounted) => origin + prefix;

/** A client that has logged in as the administrator. */
export async function admin(t: Visit, at: Mounted): Promise<Client> {
  const client = createClient({ baseUrl: baseUrlOf(at), checkReplies });
  t.teardown(() => client.close());
  await client.login({ body: { userName: 'admin', password: adminPassword } });
  return client;
}

const cookies = new Map<string, string>();

/** With the cookie of one login for each host: passwords take their time. */
async function asked(at: Mounted, path: string, init: RequestInit = {}): Promise<Response> {
  const cookie = cookies.get(at.origin) ?? (await sessionCookie(at));
  cookies.set(at.origin, cookie);
  return fetch(baseUrlOf(at) + path, { ...init, headers: { cookie, ...Object(init.headers) } });
}

async function sessionCookie(at: Mounted): Promise<string> {
  const body = JSON.stringify({ userName: 'admin', password: adminPassword });
  const headers = { 'content-type': 'application/json' };
  const { headers: answered } = await fetch(`${baseUrlOf(at)}/ws/v2/login`, {
    method: 'POST',
    body,
    headers,
  });
  return answered
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
}

const rest: Check = async (t, at) => {
  const client = await admin(t, at);
  const params = { user: 'admin', key: `grüße/${randomBytes(4).toString('hex')}` };
  const value = { text: '👋 %2F', large: 'x'.repeat(200_000) };
  await client.putSetting({ params, body: { value } });
  assert.deepEqual((await client.getSetting({ params })).value, value);
  assert.equal((await asked(at, '/ws/v2/health', { method: 'HEAD' })).status, 200);
};

/** One too large for any buffer on the way. */
function largePackage(): { name: string; bytes: Buffer } {
  const name = `p${randomBytes(6).toString('hex')}`;
  return { name, bytes: packageOf({ name }, { 'resources/noise': randomBytes(3_000_000) }) };
}

async function cameWhole(at: Mounted, answer: Response, { name, bytes }: ReturnType<typeof largePackage>) {
  assert.equal(answer.status, 200, await answer.clone().text());
  const kept = await asked(at, `/ws/v2/appPackages/admin/${name}/1.0.0/download`);
  assert.ok(bytes.equals(Buffer.from(await kept.arrayBuffer())), 'the download is what was uploaded');
}

const uploadRaw: Check = async (_, at) => {
  const sent = largePackage();
  const body = new Blob([new Uint8Array(sent.bytes)]);
  const headers = { 'content-type': 'application/octet-stream' };
  await cameWhole(at, await asked(at, '/ws/v2/appPackages', { method: 'POST', body, headers }), sent);
};

const uploadForm: Check = async (_, at) => {
  const sent = largePackage();
  const body = new FormData();
  body.set('file', new File([new Uint8Array(sent.bytes)], 'package.apa'));
  await cameWhole(at, await asked(at, '/ws/v2/appPackages', { method: 'POST', body }), sent);
};

const lines = 20_000;

/** Runs an application to its end that has said much, and resolves where its log is read. */
export async function longLog(client: Client): Promise<string> {
  const application = {
    operators: [
      { name: 'source', class: 'headgate.io.RandomGenerator', properties: { kind: 'records', total: lines } },
      { name: 'log', class: 'headgate.io.ConsoleOutput', properties: { maxPerWindow: lines } },
    ],
    streams: [
      {
        source: { operatorName: 'source', portName: 'output' },
        sinks: [{ operatorName: 'log', portName: 'input' }],
      },
    ],
  };
  const files = { 'app/talk.json': JSON.stringify(application) };
  await client.uploadPackage({ body: packageOf({ name: 'talk' }, files) });
  const params = { owner: 'admin', name: 'talk', version: '1.0.0', appName: 'talk' };
  const { appId: appid } = await client.launchPackageApplication({ params, body: {} });
  await until(
    () => client.getApplication({ params: { appid } }),
    ({ finalStatus }) => finalStatus === 'SUCCEEDED',
  );
  const { containers } = await client.listContainers({ params: { appid } });
  for (const { id: containerId } of containers) {
    const { logs } = await client.listLogs({ params: { appid, containerId } });
    const long = logs.find(({ length }) => length > 1_000_000);
    if (long) return `/ws/v2/applications/${appid}/physicalPlan/containers/${containerId}/logs/${long.name}`;
  }
  throw new Error('No container has a long log');
}

const streamedLog =
  (log: string): Check =>
  async (_, at) => {
    const answer = await asked(at, log);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    const whole = await answer.text();
    assert.ok(whole.split('\n').length > lines, 'all lines are there');
    const range = await (await asked(at, `${log}?start=1000&end=900000`)).text();
    assert.ok(range === Buffer.from(whole).subarray(1000, 900_000).toString(), 'so is each range');
    // As much as anybody took, and the connection is there for others.
    const left = new AbortController();
    const begun = await asked(at, log, { signal: left.signal });
    await begun.body?.getReader().read();
    left.abort();
    assert.equal((await asked(at, '/ws/v2/health')).status, 200);
  };

/** A message comes while the answer goes on: nothing on the way keeps it back. */
export const events: Check = async (t, at) => {
  const seen: unknown[] = [];
  await asked(at, '/ws/v2/health');
  const cookie = cookies.get(at.origin) ?? '';
  const source = new EventSource(`${baseUrlOf(at)}/ws/v2/topics/cluster.metrics`, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, cookie } }),
  });
  t.teardown(() => source.close());
  source.addEventListener('message', ({ data }) => seen.push(JSON.parse(data)));
  await untilTrue(() => seen.length > 0);
  assert.equal(source.readyState, source.OPEN);
  source.close();
  assert.equal((await asked(at, '/ws/v2/topics/_internal.x')).status, 403);
};

async function refused(answer: Response, status: number, code: string) {
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  const told: unknown = await answer.json();
  const requestId = answer.headers.get('x-request-id');
  assert.deepEqual({ code: Object(told).code, requestId: Object(told).requestId }, { code, requestId });
}

const errors: Check = async (_, at) => {
  await refused(await fetch(`${baseUrlOf(at)}/ws/v2/applications`), 401, 'NOT_LOGGED_IN');
  const put = (body: string, headers: Record<string, string>) =>
    asked(at, '/ws/v2/profile/settings/admin/key', { method: 'PUT', body, headers });
  await refused(await put('{}', { 'content-type': 'application/json' }), 400, 'INVALID_INPUT');
  await refused(await put('<a/>', { 'content-type': 'application/xml' }), 415, 'UNSUPPORTED_BODY');
  const page = { 'content-type': 'application/json', origin: 'https://evil.example' };
  await refused(await put('{"value":1}', page), 403, 'FOREIGN_ORIGIN');
  const nobody = await asked(at, '/ws/v2/applications/application_1_1');
  await refused(nobody, 404, 'NOT_FOUND');
};

const unknownPaths: Check = async (_, at) => {
  await refused(await asked(at, '/ws/v2/nothing'), 404, 'NOT_FOUND');
  await refused(await asked(at, '/ws/v2/about', { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED');
  const hosts = await asked(at, '/nothing');
  assert.equal(hosts.status, 404);
  assert.equal(hosts.headers.get('x-request-id'), null, 'the host answers what is its own');
};

const ownPaths: Check = async (_, { origin }) => {
  assert.match(await (await fetch(`${origin}/page`)).text(), /own page/);
  const headers = { 'content-type': 'application/json' };
  const echo = await fetch(`${origin}/echo`, { method: 'POST', body: '{"said":"ä"}', headers });
  assert.deepEqual(await echo.json(), { said: 'ä' });
};

const webSocket: Check = async (t, at) => {
  const exchange = await exchangeOf(await admin(t, at));
  await exchange();
  const stranger = new WebSocket(`${baseUrlOf(at).replace('http', 'ws')}/pubsub`);
  stranger.on('error', () => {});
  const [, refusal] = await once(stranger, 'unexpected-response');
  assert.equal(refusal.statusCode, 401);
  assert.match(await text(refusal), /NOT_LOGGED_IN/);
};

const webSocketBeside: Check = async (t, at) => {
  const own = new WebSocket(`${at.origin.replace('http', 'ws')}/own`);
  t.teardown(() => own.terminate());
  await once(own, 'open');
  const exchange = await exchangeOf(await admin(t, at));
  for (const round of ['first', 'second']) {
    const said = once(own, 'message');
    own.send(JSON.stringify({ event: 'say', data: round }));
    assert.match(String((await said)[0]), new RegExp(round));
    await exchange();
  }
};

/** In the order of the table. */
export const checksWith = (log: string) =>
  ({
    REST: rest,
    'Upload, raw': uploadRaw,
    'Upload, form': uploadForm,
    'Streamed log': streamedLog(log),
    Events: events,
    Errors: errors,
    'Unknown paths': unknownPaths,
    'Own paths': ownPaths,
    WebSocket: webSocket,
    'WebSocket beside another': webSocketBeside,
  }) satisfies Record<string, Check>;
