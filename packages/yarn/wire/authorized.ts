import type { HttpCall, HttpClient } from 'headgate/driver-kit';

/** What the gateway is about to ask a part of a secured cluster. */
export interface ClusterRequest {
  /** Masters and data nodes are never among them: those run users' code, or have their own tokens. */
  readonly service: 'resourceManager' | 'nameNode' | 'nodeManager';
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
}

/**
 * Headers that prove who the gateway is: `authorization: Negotiate ...` made for the host of the URL, or a cookie. Called
 * for each request; rejects when there are none.
 */
export type Authorize = (
  request: ClusterRequest,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** A client that proves who it is with each call. */
export function authorized(
  http: HttpClient,
  service: ClusterRequest['service'],
  authorize: Authorize | undefined,
): HttpClient {
  if (!authorize) return http;
  const proven = async (url: string, call: HttpCall): Promise<HttpCall> => {
    const request = { service, method: call.method ?? 'GET', url: new URL(url) };
    return { ...call, headers: { ...call.headers, ...(await authorize(request)) } };
  };
  return {
    ...http,
    ask: async (url, call) => http.ask(url, await proven(url, call)),
    open: async (url, call) => http.open(url, await proven(url, call)),
  };
}
