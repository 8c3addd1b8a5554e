import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** Body of the host's own answer to what is not the gateway's. */
export const hostAnswer = 'not the gateway';

interface Sent {
  readonly method?: string;
  /** As it goes on the wire, without the prefix. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  json(): Record<string, unknown>;
}

/** Opens a request without ending it. Nothing of the path is changed. */
export function begin(baseUrl: string, sent: Sent): ClientRequest {
  const { hostname, port, pathname } = new URL(baseUrl);
  return request({
    hostname,
    port,
    method: sent.method ?? 'GET',
    path: pathname.replace(/\/$/, '') + sent.path,
    headers: sent.headers,
    agent: false,
  });
}

/** One request and its whole answer. */
export async function exchange(baseUrl: string, sent: Sent): Promise<Received> {
  const outgoing = begin(baseUrl, sent);
  const answered = answerTo(outgoing);
  outgoing.end(sent.body);
  return received(await answered);
}

/** For requests whose target is not simply a path below the prefix. */
export async function exchangeTarget(baseUrl: string, target: string, method = 'GET'): Promise<Received> {
  const { hostname, port } = new URL(baseUrl);
  const outgoing = request({ hostname, port, method, path: target, agent: false });
  const answered = answerTo(outgoing);
  outgoing.end();
  return received(await answered);
}

/** Asks for a WebSocket and resolves what came instead; rejects when one was opened. */
export async function refusedUpgrade(
  baseUrl: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const outgoing = upgradeOf(baseUrl, target, headers);
  const answered = answerTo(outgoing);
  outgoing.once('upgrade', (_, socket) => {
    socket.destroy();
    outgoing.destroy(new Error(`${target} opened a WebSocket`));
  });
  outgoing.end();
  return received(await answered);
}

export function upgradeOf(
  baseUrl: string,
  target: string,
  headers: Readonly<Record<string, string>>,
): ClientRequest {
  const { hostname, port } = new URL(baseUrl);
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  return request({ hostname, port, path: target, headers: { ...upgrade, ...headers }, agent: false });
}

export const answerTo = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // An answer may come before the request was sent whole; what happens to the rest is no matter then.
    outgoing.once('error', reject);
  });

export async function received(answer: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    json: () => JSON.parse(text),
  };
}

/** Polls until it holds; fails after ten seconds, naming what it waited for. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`It never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Resolves once a number has not moved for a while. */
export async function settled(read: () => number): Promise<number> {
  let last = Number.NaN;
  for (let still = 0; still < 20; ) {
    const now = read();
    still = now === last ? still + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return last;
}
