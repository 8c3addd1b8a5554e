import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayRequest } from '../http/request.js';

export type Headers = Record<string, string | string[]>;

/** Of one connection, never of the next (RFC 9110, 7.6.1). `trailer` goes along where trailers can. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * What nobody but the gateway says to a target: how the body is framed, whom it is for, who is calling, and what servers
 * in front of the gateway prove that with.
 */
const ours = new RegExp(
  `^(${[
    'authorization|cookie2?|content-length|expect|forwarded|host|origin|referer|via',
    '(remote|true-client|cf-connecting|cf-access|client-cert|tailscale|x-amzn-oidc|x-ms-(client|token))-.*',
    'client-cert|x-goog-(iap|authenticated-user)-.*',
    'x-(authenticated|authentik|auth-request|client-(cert|ip)|cluster-client-ip|forwarded|original|pomerium|proxy|real-ip|remote|request-id|rewrite|ssl|vouch|webauth)(-.*)?',
  ].join('|')})$`,
);

/** A server that turns `-` into `_` could take one for the other. */
const plainName = /^[a-z0-9-]+$/;

/** What a client of a web API has to say about its request. Everything else is between it and the gateway. */
const ofAnApi =
  /^(accept(-.*)?|cache-control|pragma|content-(type|encoding|language|md5)|if-.*|range|user-agent|x-requested-(by|with)|x-xsrf-header)$/;

/** `api`: what the list names; `web`: all that is nobody's identity and of no connection. */
export type Passing = 'api' | 'web';

/** The client's headers that go along to a target. `own`: what the gateway reads itself, in small letters. */
export function passingToTarget(
  headers: IncomingHttpHeaders,
  passing: Passing,
  own: ReadonlySet<string>,
): Headers {
  const named = namedByConnection(headers.connection);
  const kept: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHop.has(name) || named?.has(name) || own.has(name)) continue;
    if (passing === 'api' ? !ofAnApi.test(name) : ours.test(name) || !plainName.test(name)) continue;
    kept[name] = value;
  }
  return kept;
}

/** Who called, and where. What a client says about that is not believed. */
export function addForwardedFor(
  to: Headers,
  { headers, remoteAddress, prefix, isSecure }: GatewayRequest,
  mount: string,
): void {
  to['x-forwarded-for'] = remoteAddress;
  to['x-forwarded-proto'] = isSecure ? 'https' : 'http';
  if (headers.host !== undefined) to['x-forwarded-host'] = headers.host;
  to['x-forwarded-prefix'] = `${prefix ?? ''}${mount}`;
}

/** They speak for the gateway's whole origin, or ask for credentials that never arrive. */
const forTheOrigin =
  /^(accept-ch|access-control-.*|alt-svc|authentication-info|clear-site-data|critical-ch|expect-ct|nel|origin-agent-cluster|public-key-pins(-report-only)?|report(ing-endpoints|-to)|service-worker-allowed|strict-transport-security|www-authenticate|x-request-id)$/;

/** The target's headers that go along to the client. Cookies and places are the caller's to rewrite. */
export function passingToClient(headers: IncomingHttpHeaders): Headers {
  const named = namedByConnection(headers.connection);
  const kept: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || hopByHop.has(name) || named?.has(name) || forTheOrigin.test(name)) continue;
    kept[name] = value;
  }
  if (headers['transfer-encoding'] !== undefined && headers.trailer !== undefined) {
    kept['trailer'] = headers.trailer;
  }
  return kept;
}

/** What a trailer must not say (RFC 9110, 6.5.1), or could not. */
const notInTrailers =
  /^(age|authorization|cache-control|content-.*|cookie|date|expect|expires|host|location|max-forwards|pragma|range|retry-after|set-cookie.*|te|vary|warning|www-authenticate)$/;

export function passingTrailers(trailers: NodeJS.Dict<string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(trailers)) {
    if (value === undefined || hopByHop.has(name) || notInTrailers.test(name)) continue;
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value) && plainName.test(name) && !forTheOrigin.test(name)) {
      kept[name] = value;
    }
  }
  return kept;
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(
    connection
      .toLowerCase()
      .split(',', 100)
      .map((name) => name.trim()),
  );
}
