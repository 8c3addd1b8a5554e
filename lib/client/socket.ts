import { ClientError, errorOf } from './error.js';

/** One connection, whichever WebSocket is behind it. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

interface SocketEvents {
  opened(): void;
  received(text: string): void;
  /** Called once, also when it never opened; `error` says why, where the platform tells. */
  closed(error: ClientError | undefined): void;
}

/** Browsers send the cookies of the page by themselves and take no headers; elsewhere `ws` sends ours. */
export function connect(
  url: string,
  headers: () => Readonly<Record<string, string>>,
  events: SocketEvents,
): Socket {
  const once = onlyOnce(events);
  return sendsOurCookies() ? connectNode(url, headers, once) : connectBrowser(url, once);
}

/** A browser takes the header off again. No name of a platform is asked for, which a bundler might have put there. */
const sendsOurCookies = () =>
  new Request('http://localhost', { headers: { cookie: 'a=b' } }).headers.has('cookie');

function connectBrowser(url: string, events: SocketEvents): Socket {
  const socket = new WebSocket(url);
  socket.addEventListener('open', () => events.opened());
  socket.addEventListener('message', ({ data }) => events.received(String(data)));
  socket.addEventListener('close', ({ code, reason }) => events.closed(closedBecause(code, reason)));
  return { send: (text) => socket.send(text), close: () => socket.close() };
}

function connectNode(
  url: string,
  headers: () => Readonly<Record<string, string>>,
  events: SocketEvents,
): Socket {
  let closed = false;
  let close = () => events.closed(undefined);
  let send: (text: string) => void = () => {};
  // Not a static import: a page's bundle must not need it.
  import('ws').then(
    ({ WebSocket }) => {
      if (closed) return;
      const socket = new WebSocket(url, { headers: headers(), perMessageDeflate: false });
      send = (text) => socket.send(text);
      close = () => socket.terminate();
      socket.on('open', () => events.opened());
      socket.on('message', (data) => events.received(data.toString()));
      socket.on('close', (code, reason) => events.closed(closedBecause(code, reason.toString())));
      socket.on('error', (cause) => events.closed(unreachable(url, cause)));
      socket.on('unexpected-response', (request, response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('close', async () => {
          const answer = new Response(text, { status: response.statusCode ?? 500 });
          events.closed(await errorOf(answer, 'The WebSocket'));
          request.destroy();
        });
      });
    },
    (cause: unknown) => events.closed(unreachable(url, cause)),
  );
  return {
    send: (text) => send(text),
    close() {
      closed = true;
      close();
    },
  };
}

function onlyOnce(events: SocketEvents): SocketEvents {
  let done = false;
  return {
    opened: () => events.opened(),
    received: (text) => events.received(text),
    closed(error) {
      if (done) return;
      done = true;
      events.closed(error);
    },
  };
}

const unreachable = (url: string, cause: unknown) =>
  new ClientError(0, 'UNREACHABLE', `No WebSocket at ${url}`, { cause });

const closedBecause = (code: number, reason: string): ClientError | undefined =>
  code === 1000 || code === 1001
    ? undefined
    : new ClientError(0, 'UNREACHABLE', `The WebSocket was closed with ${code}${reason && `: ${reason}`}`, {
        details: { code, reason },
      });
