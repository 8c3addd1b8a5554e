import { randomUUID } from 'node:crypto';
import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';

// What a proxy on `node:http` has to do to have our limits, hang-ups, headers, paths and a line of the log, by hand for GETs of one
// route. `floor` is that; `guarded` also asks who is calling, where the target is within a time limit, gives a connection its own,
// tries twice, and counts what it did.

const toTarget =
  /^(accept(-.*)?|cache-control|pragma|content-(type|encoding|language)|if-.*|range|user-agent)$/;
const notToClient =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie|www-authenticate|access-control-.*|strict-transport-security|alt-svc|clear-site-data)$/;
const plainPath = /^\/proxy\/rm\/v1\/[\w/-]+$/;

function kept(
  headers: IncomingHttpHeaders,
  isKept: (name: string) => boolean,
): Record<string, string | string[]> {
  const passing: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && isKept(name)) passing[name] = value;
  }
  return passing;
}

interface Place {
  readonly hostname: string;
  readonly host: string;
  readonly port: string;
  readonly agent: Agent;
}

/** `log` is given each request, as ours gives it to its logger. */
export function floor(targetUrl: string, agent: Agent, log: (line: object) => void): RequestListener {
  const { hostname, host, port } = new URL(targetUrl);
  return (req, res) => {
    const startedAt = performance.now();
    const path = req.url ?? '';
    const fail = () => failed(res);
    if (req.method !== 'GET' || !plainPath.test(path)) return fail();
    const out = ask(req, res, { hostname, host, port, agent }, fail);
    out.once('response', (answer) => answerWith(res, answer, { path, startedAt, fail, log }));
  };
}

export function guarded(targetUrl: string, agent: Agent, log: (line: object) => void): RequestListener {
  const { hostname, host, port } = new URL(targetUrl);
  const place = { hostname, host, port, agent };
  const counted = new Map<string, { count: number; seconds: number }>();
  const count = (what: string, startedAt: number) => {
    const known = counted.get(what) ?? { count: 0, seconds: 0 };
    known.count++;
    known.seconds += (performance.now() - startedAt) / 1000;
    counted.set(what, known);
  };
  const rights = new Map([['bench', new Set(['ACCESS_RM_PROXY'])]]);
  const callerOf = async (_: IncomingMessage) => 'bench';
  const targetOf = async () => place;

  const found = (): Promise<Place> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no target in time')), 10_000);
      const startedAt = performance.now();
      targetOf()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          count('target', startedAt);
        });
    });
  async function once(req: IncomingMessage, res: ServerResponse): Promise<IncomingMessage> {
    const at = await found();
    return new Promise((resolve, reject) => {
      ask(req, res, at, reject).once('response', resolve);
    });
  }
  async function patiently(req: IncomingMessage, res: ServerResponse): Promise<IncomingMessage> {
    try {
      return await once(req, res);
    } catch (error) {
      if (res.destroyed) throw error;
    }
    return once(req, res);
  }
  return async (req, res) => {
    const startedAt = performance.now();
    const path = req.url ?? '';
    const fail = () => failed(res);
    if (req.method !== 'GET' || !plainPath.test(path)) return fail();
    try {
      if (!rights.get(await callerOf(req))?.has('ACCESS_RM_PROXY')) return fail();
      answerWith(res, await patiently(req, res), { path, startedAt, fail, log });
      count('forwardManagerGet', startedAt);
    } catch {
      fail();
    }
  };
}

interface Answering {
  readonly path: string;
  /** Monotonic. */
  readonly startedAt: number;
  readonly fail: () => void;
  readonly log: (line: object) => void;
}

/** The request to the target, which ends with its client and within its limits. */
function ask(req: IncomingMessage, res: ServerResponse, at: Place, fail: (error: Error) => void) {
  const { hostname, port, agent, host } = at;
  const headers = kept(req.headers, (name) => toTarget.test(name));
  headers['host'] = host;
  headers['x-forwarded-for'] = req.socket.remoteAddress ?? '';
  headers['x-forwarded-proto'] = 'http';
  headers['x-forwarded-host'] = req.headers.host ?? '';
  headers['x-forwarded-prefix'] = '/proxy/rm/v1';
  const path = `/ws/v1${(req.url ?? '').slice(12)}`;
  const out = request({ hostname, port, agent, path, headers });
  const giveUp = () => out.destroy();
  const timer = setTimeout(giveUp, 60_000);
  res.once('close', () => {
    if (!res.writableFinished) giveUp();
  });
  out.setTimeout(120_000, giveUp);
  out.on('error', fail);
  out.once('response', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  out.end();
  return out;
}

function answerWith(res: ServerResponse, answer: IncomingMessage, { path, startedAt, fail, log }: Answering) {
  answer.on('error', fail);
  const requestId = randomUUID();
  const passed = kept(answer.headers, (name) => !notToClient.test(name));
  passed['x-request-id'] = requestId;
  passed['cache-control'] = 'no-store';
  passed['x-content-type-options'] = 'nosniff';
  passed['x-frame-options'] = 'SAMEORIGIN';
  passed['content-security-policy'] = "default-src 'none'; sandbox, frame-ancestors 'self'";
  res.writeHead(answer.statusCode ?? 502, passed);
  answer.once('close', () => {
    if (!answer.complete) res.destroy();
  });
  answer.pipe(res);
  const durationMillis = performance.now() - startedAt;
  log({ event: 'http.request', requestId, path, status: res.statusCode, durationMillis });
}

const failed = (res: ServerResponse) => {
  if (res.headersSent) res.destroy();
  else res.writeHead(502).end();
};
