import { randomUUID } from 'node:crypto';
import { type Agent, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';

// What limits, hang-ups, headers, paths and a line of the log need of a proxy on `node:http`, by hand for GETs of one route. It
// leaves out rights, metrics, second tries, and the clocks for a connection and for finding the target.

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

/** `log` is given each request, as ours gives it to its logger. */
export function floor(targetUrl: string, agent: Agent, log: (line: object) => void): RequestListener {
  const { hostname, host, port } = new URL(targetUrl);
  return (req, res) => {
    const startedAt = performance.now();
    const path = req.url ?? '';
    const fail = () => (res.headersSent ? res.destroy() : res.writeHead(502).end());
    if (req.method !== 'GET' || !plainPath.test(path)) return fail();
    const headers = kept(req.headers, (name) => toTarget.test(name));
    headers['host'] = host;
    headers['x-forwarded-for'] = req.socket.remoteAddress ?? '';
    headers['x-forwarded-proto'] = 'http';
    headers['x-forwarded-host'] = req.headers.host ?? '';
    headers['x-forwarded-prefix'] = '/proxy/rm/v1';
    const out = request({ hostname, port, agent, path: `/ws/v1${path.slice(12)}`, headers });
    const giveUp = () => out.destroy();
    const timer = setTimeout(giveUp, 60_000);
    const onClose = () => {
      if (!res.writableFinished) giveUp();
    };
    res.once('close', onClose);
    out.setTimeout(120_000, giveUp);
    out.on('error', fail);
    out.once('close', () => clearTimeout(timer));
    out.once('response', (answer) => {
      clearTimeout(timer);
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
    });
    out.end();
  };
}
