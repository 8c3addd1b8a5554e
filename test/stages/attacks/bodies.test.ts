import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import t from 'tap';
import { z } from 'zod';
import { createClient } from '../../../lib/client.js';
import { type ListedRoute, listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';
import { untilItRuns } from '../../helpers/applications.js';
import { packageOfEntries } from '../../helpers/large-directories.js';
import { as } from '../../helpers/people.js';
import { ask } from '../../helpers/rights/place.js';
import { atLeastOf, gotThrough, reasons } from './getting-through.js';
import { type LegalBody, legalBodies } from './legal-bodies.js';
import { counts, worstBodies } from './worst-bodies.js';
import { worstRawBodies } from './worst-raw-bodies.js';

// Every route that takes a body, with the largest ones of the worst shapes: taken or refused, none stops the event loop
// for long. Of each route at least one large body has to get through to the end of the work. `node
// build/test/stages/attacks/bodies.test.js <operation>` asks one of them and tells its figures.

/** Of processor time in one turn of the loop, milliseconds. */
const most = 50;
/** So many are asked one after the other before somebody looks whether one of them was slow. */
const together = 25;
t.setTimeout(900_000);
const [only] = process.argv.slice(2);

interface Sent {
  readonly what: string;
  readonly body: string | Buffer;
  /** At the large place of a JSON body. */
  readonly values?: number;
  readonly isIdle?: true;
  /** Where, if not at the path of the route. */
  readonly path?: string;
}

const Place = z
  .tuple([
    z.object({
      baseUrl: z.string(),
      appid: z.string(),
      endedAppid: z.string(),
      operatorIds: z.record(z.string(), z.string()),
      license: z.string(),
    }),
  ])
  .rest(z.unknown());
const withBody = listRoutes(routes).filter(({ route }) => route.body !== undefined);

type Legal = Readonly<Record<string, readonly LegalBody[]>>;

/** Of several goes the shortest: in the others something else was done too. */
async function alone(server: ChildProcess, send: () => Promise<string>) {
  let least = { millis: Number.POSITIVE_INFINITY, answer: '' };
  for (let go = 0; go < 5 && least.millis > most / 2; go++) {
    await asked(server, 'start');
    const answer = await send();
    const millis = await asked(server, 'stop');
    if (millis < least.millis) least = { millis, answer };
  }
  return least;
}

function* bodiesOf(listed: ListedRoute, legal: Legal): Generator<Sent> {
  const { body, path } = listed.route;
  for (const { what, body, names } of legal[listed.id] ?? []) yield { what, body, path: at(path, names) };
  if (body?.kind === 'json') {
    const names = living[listed.id];
    for (const { what, text, ...more } of worstBodies(body.schema ?? z.unknown()))
      yield {
        what,
        body: isLaunch(listed) ? text.replaceAll('"key', '"dt.operator.map.prop.constants.key') : text,
        ...more,
        path: at(path, names),
      };
  } else if (body?.kind === 'whole') yield* forwarded(listed, legal);
  else yield* worstRawBodies(listed) ?? [];
}

const at = (path: string, names: LegalBody['names'] = {}) =>
  Object.entries(names).reduce((text, [name, value]) => text.replace(`{${name}}`, value), path);

const isLaunch = ({ id }: ListedRoute) => /^(launchPackage|restart)Application$/.test(id);

/** What has to be new each time, what is there to be changed, and what can be launched as it is. */
const living: Readonly<Record<string, LegalBody['names']>> = {
  createUser: { user: 'new-{unique}' },
  putService: { name: 'service-{unique}' },
  changeService: { name: 'still' },
  launchPackageApplication: { name: 'plain' },
  startOperatorRecording: { opid: '1' },
  startPortRecording: { opid: '1', portName: 'output' },
};

/** What the embedded engine reads of what is sent to it, and what a service gets. */
function* forwarded({ route }: ListedRoute, legal: Legal): Generator<Sent> {
  const to = (rest: string) => route.path.replace('{rest...}', rest);
  const large = '{"a":"x"}'.padEnd(1024 * 1024);
  if (route.path.startsWith('/proxy/services/')) {
    yield { what: '1 MiB', body: large, path: to('web/') };
    yield { what: '16 MiB', body: large.repeat(16), path: to('web/') };
    return;
  }
  const isManager = route.path.startsWith('/proxy/rm/');
  const anywhere = to(isManager ? 'cluster/apps' : '{appid}/logicalPlan');
  for (const { what, text, ...more } of worstBodies(z.unknown()))
    yield { what, body: text, ...more, path: anywhere };
  yield { what: '16 MiB', body: large.repeat(16), path: anywhere };
  if (isManager) return;
  for (const { id, route: own } of withBody) {
    const [, rest] = /\/applications\/(\{appid\}\/.*)/.exec(own.path) ?? [];
    const schema = own.body?.schema;
    if (rest === undefined || schema === undefined || own.method !== route.method) continue;
    for (const { what, body, names } of legal[id] ?? [])
      yield { what: `${id} ${what}`, body, path: at(to(rest), names) };
    for (const { what, text, ...more } of worstBodies(schema))
      yield { what: `${id} ${what}`, body: text, ...more, path: to(rest) };
  }
}

/** What was made is ended, for others need the room. */
async function undo(
  baseUrl: string,
  { id }: ListedRoute,
  path: string,
  sent: string | Buffer,
  text: string,
): Promise<void> {
  const { headers } = as('root', 'admin');
  const remove = (path: string) => fetch(baseUrl + path, { method: 'DELETE', headers });
  switch (id) {
    case 'createUser':
    case 'putService':
      await remove(path);
      break;
    case 'installServices':
      for (const { name } of z
        .array(z.object({ name: z.string() }))
        .parse(JSON.parse(String(sent)))
        .reverse())
        await remove(`/ws/v2/services/${name}`);
      break;
    case 'createToken':
      await remove(`/ws/v2/tokens/${z.object({ id: z.string() }).parse(JSON.parse(text)).id}`);
      break;
    case 'startOperatorRecording':
    case 'startPortRecording':
      await fetch(baseUrl + path.replace(/(\/ports\/\w+)?\/recordings\/start$/, '/recordings/stop'), {
        method: 'POST',
        headers,
      });
      break;
    case 'launchPackageApplication':
    case 'restartApplication': {
      const { appId } = z.object({ appId: z.string() }).parse(JSON.parse(text));
      await fetch(`${baseUrl}/ws/v2/applications/${appId}/kill`, { method: 'POST', headers });
    }
  }
}

/** `fetch` refuses to send a body along, and a proxy takes one. */
async function getWithBody(url: string, body: string | Buffer) {
  const { headers } = as('root', 'admin');
  const asking = request(url, {
    method: 'GET',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  asking.end(body);
  const [response] = await once(asking, 'response');
  const text = await textOf(response);
  return { status: Number(response.statusCode), message: '', text };
}

function* groupsOf<T>(all: Iterable<T>, isWanted: (one: T) => boolean): Generator<T[]> {
  let group: T[] = [];
  for (const one of all) {
    if (isWanted(one)) group.push(one);
    if (group.length < together) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function asked(server: ChildProcess, message: 'start' | 'stop'): Promise<number> {
  const answered = once(server, 'message');
  server.send(message);
  const [answer] = z
    .tuple([z.union([z.number(), z.literal('started')])])
    .rest(z.unknown())
    .parse(await answered);
  return answer === 'started' ? 0 : answer;
}

t.test('no body within the limits stops the event loop', async (t) => {
  const server = fork(new URL('./bodies-server.js', import.meta.url), { execArgv: [] });
  t.teardown(async () => {
    server.disconnect();
    await once(server, 'exit');
  });
  const [{ baseUrl, appid, endedAppid, ...told }] = Place.parse(await once(server, 'message'));
  const legal = legalBodies(told);
  if (only === undefined || only === 'mergePackages') {
    // Made here, for a process of much memory takes long to start others.
    const body = packageOfEntries(99_000, 'vast');
    const { headers } = as('ada', 'developer');
    const { status } = await fetch(`${baseUrl}/ws/v2/appPackages`, { method: 'POST', headers, body });
    t.equal(status, 200);
  }
  let count = 0;
  t.ok(withBody.some(({ id }) => only === undefined || only === id));
  const operations = new Set(withBody.map(({ id }) => id));
  t.same(
    reasons.filter((id) => !operations.has(id)),
    [],
    'reasons are of operations that there are',
  );
  t.same(
    Object.keys(legal).filter((id) => !operations.has(id)),
    [],
    'so are bodies',
  );
  const root = createClient({ baseUrl, ...as('root', 'admin') });
  t.teardown(() => root.close());
  for (const listed of withBody) {
    if (only !== undefined && only !== listed.id) continue;
    // What was sent before may have cost a container its life, and its operators come back.
    await untilItRuns(root, appid);
    // What was begun through the proxy may still be recorded, and excludes another recording.
    if (/^start\w+Recording$/.test(listed.id))
      await root.stopOperatorRecording({ params: { appid, opid: '1' } }).catch(() => undefined);
    /** More values than this are refused for their number, wherever they stand. */
    let maxValues = Number.POSITIVE_INFINITY;
    /** As many as there may be, as the first place has taught, and as many as lists may have. */
    const isWanted = ({ values = 0 }: Sent) =>
      values < 1000 || values === Math.max(...counts.filter((count) => count <= maxValues));
    let largest = -1;
    let refused = 'nothing was refused';
    const send = async ({ body, path = listed.route.path, isIdle }: Sent) => {
      const of = listed.id === 'restartApplication' ? endedAppid : appid;
      const at = path.replace('{appid}', of).replaceAll('{unique}', String(count++));
      const { status, message, text } =
        listed.route.method === 'GET'
          ? await getWithBody(baseUrl + at, body)
          : await ask(baseUrl, listed, 'admin', undefined, at, body);
      const [, limit] = /holds more than (\d+) values/.exec(text) ?? [];
      if (limit !== undefined) maxValues = Number(limit);
      // What is wrong with the body itself is meant.
      if (status > 400 && status !== 413) refused = `${status} ${text.slice(0, 300)}`;
      if (!isIdle && gotThrough(listed.id, status, text)) largest = Math.max(largest, body.length);
      if (status < 300) await undo(baseUrl, listed, at, body, text);
      return `${status} ${(message || text).slice(0, 100)}`;
    };
    let longest = { millis: 0, what: 'nothing was sent' };
    const heard = (millis: number, what: string) => {
      if (millis >= longest.millis) longest = { millis, what };
      if (only !== undefined) t.comment(`${millis.toFixed(1)} ms ${what}`);
    };
    const statuses = new Map<string, number>();
    for (const group of groupsOf(bodiesOf(listed, legal), isWanted)) {
      await asked(server, 'start');
      const answers: string[] = [];
      for (const sent of group) answers.push(await send(sent));
      const millis = await asked(server, 'stop');
      for (const answer of answers) {
        const [status = ''] = answer.split(' ');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      heard(millis, `${group.map(({ what }, i) => `${what}: ${answers[i]}`).join('\n  ')}`);
      if (millis <= most) continue;
      for (const sent of group) {
        const { millis, answer } = await alone(server, () => send(sent));
        if (millis > most) t.fail(`${listed.id}: ${millis.toFixed(0)} ms, ${sent.what}: ${answer}`);
      }
    }
    t.comment(
      `${listed.id}: ${longest.millis.toFixed(1)} ms ${JSON.stringify(Object.fromEntries(statuses))}, up to ${largest} characters got through`,
    );
    const atLeast = atLeastOf(listed.id);
    t.ok(
      largest >= atLeast,
      `${listed.id}: a body of ${atLeast} characters gets through, not only of ${largest}; last: ${refused}`,
    );
  }
});
