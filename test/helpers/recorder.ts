import { hostname, networkInterfaces, userInfo } from 'node:os';
import { z } from 'zod';
import type { ClientOptions } from '../../lib/client.js';
import type { Example } from '../../lib/http/openapi.js';
import { buildTable } from '../../lib/http/table.js';
import { routes } from '../../lib/routes.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

const table = buildTable(routes, {});
const Json = z.json();
type Json = z.output<typeof Json>;

export interface Recorder {
  /**
   * Passes calls on to the gateway, and keeps the first exchange of each operation that succeeds; of proxies that never do, the
   * last one that is refused.
   */
  readonly fetch: Fetch;
  readonly examples: ReadonlyMap<string, Example>;
}

/** `places`: what tells of this machine and this run, and what stands for it. */
export function recorder(places: Readonly<Record<string, string>>): Recorder {
  const examples = new Map<string, Example>();
  const succeeded = new Set<string>();
  const hide = hiding({ ...ofThisMachine(), ...places });
  return {
    examples,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { pathname, searchParams } = new URL(url);
      const match = table.match(String(init.method), pathname);
      if (match === undefined || !('bound' in match)) return response;
      const { id, route } = await match.bound;
      if (succeeded.has(id) || !(response.ok || route.reply.kind === 'passthrough')) return response;
      if (response.ok) succeeded.add(id);
      const parameters = { ...match.params, ...Object.fromEntries(searchParams) };
      const body = sentBody(init);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const reply = isStream ? await firstEvent(response) : await receivedBody(response.clone());
      const example = shortened(
        id,
        Json.parse({
          ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
          ...(body === undefined ? {} : { body }),
          ...(reply === undefined ? {} : { reply }),
        }),
      );
      examples.set(id, z.custom<Example>().parse(hide(example)));
      return isStream ? new Response(null, response) : response;
    },
  };
}

function sentBody({ body, headers }: RequestInit): Json | undefined {
  if (typeof body !== 'string') return undefined;
  const type = new Headers(headers).get('content-type') ?? '';
  if (type === 'application/json') return Json.parse(JSON.parse(body));
  return type.endsWith('/xml') ? body : undefined;
}

async function receivedBody(response: Response): Promise<Json | undefined> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) return Json.parse(await response.json());
  if (type.startsWith('text/') || type.endsWith('/xml')) return linesOf(await response.text());
  return undefined;
}

/** Such a stream has no end: it is given up. */
async function firstEvent(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/^data: .*\n\n/m.test(text)) break;
  }
  return linesOf(text);
}

const most = { lines: 8, items: 2, members: 8, text: 400 };
const linesOf = (text: string): string => text.split('\n').slice(0, most.lines).join('\n').slice(0, 1000);

/** Documents have more members than examples need, and tools follow references wherever they find them. */
const ofDocuments = new Set(['getOpenApi', 'getAsyncApi']);

/** The first items of lists, the first members of maps and the beginnings of texts: what stays is as it came. */
function shortened(id: string, example: Json, isBelowReply = false): Json {
  if (Array.isArray(example))
    return example.slice(0, most.items).map((item) => shortened(id, item, isBelowReply));
  if (typeof example === 'string') return isBelowReply ? example.slice(0, most.text) : example;
  if (typeof example !== 'object' || example === null) return example;
  const isWanted = (name: string) =>
    name !== '$ref' && (!(ofDocuments.has(id) && isBelowReply) || /^(open|async)api$/.test(name));
  const entries = Object.entries(example).filter(([name]) => isWanted(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, shortened(id, value, isBelowReply || name === 'reply')]),
  );
}

/** Members whose texts only their owners may know. */
const secret = /^(password|oldPassword|newPassword|bindPassword|token|session)$/;

const hiding = (places: Readonly<Record<string, string>>) =>
  function hide(value: Json, name = ''): Json {
    if (typeof value === 'string') {
      if (secret.test(name)) return '********';
      return Object.entries(places).reduce((text, [from, to]) => {
        const whole = from.replace(/[^\w]/g, '\\$&');
        return text.replace(new RegExp(`(?<![\\w.-])${whole}(?![\\w-])`, 'g'), to);
      }, value);
    }
    if (Array.isArray(value)) return value.map((item) => hide(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hide(member, key)]));
  };

function ofThisMachine(): Readonly<Record<string, string>> {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address, family }) => [address, family === 'IPv4' ? '192.0.2.1' : '2001:db8::1']);
  return {
    ...Object.fromEntries(addresses),
    [process.execPath]: '/usr/bin/node',
    [process.cwd()]: '/opt/headgate',
    [hostname()]: 'gateway.example.org',
    ...(userInfo().username === 'root' ? {} : { [userInfo().homedir]: '/home/headgate' }),
  };
}
