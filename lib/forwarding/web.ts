import { foreignOrigin } from '../http/origin.js';
import type { GatewayRequest } from '../http/request.js';
import type { Headers } from './headers.js';

/** What pages need besides what an API does: cookies, redirects that are followed for them, an origin. */
export interface WebForwarding {
  /** Redirects that stay at the target are followed here. */
  readonly followsRedirects: boolean;
  /** Names of cookies that are the gateway's and its host's. `undefined`: nobody said, so none pass in either direction. */
  readonly ownCookies: readonly string[] | undefined;
  /** Origins that are as good as ours. */
  readonly origins: readonly string[];
}

/** Cookies that are the target's business, and the origin in its own terms: it compares that with `Host`. */
export function webHeaders(
  request: GatewayRequest,
  { ownCookies, origins }: WebForwarding,
  base: URL,
): Headers {
  const { headers } = request;
  const cookie = ownCookies ? othersOf(headers.cookie ?? '', ownCookies) : '';
  const { origin } = headers;
  const isOurs = origin !== undefined && foreignOrigin(request, origins) === undefined;
  return {
    ...(cookie === '' ? {} : { cookie }),
    ...(origin === undefined ? {} : { origin: isOurs ? base.origin : origin }),
  };
}

const othersOf = (cookies: string, own: readonly string[]): string =>
  cookies
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !own.includes((pair.split('=', 1)[0] ?? '').trim()))
    .join('; ');

/** Cookies of a target live below its own path and nowhere else, and never take the place of one of ours. */
export function cookiesForClient(
  setCookie: readonly string[],
  ownCookies: readonly string[] | undefined,
  place: { readonly base: URL; readonly path: string },
): string[] {
  if (!ownCookies) return [];
  return setCookie.flatMap((cookie) => {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
    const name = (pair.split('=', 1)[0] ?? '').trim();
    if (ownCookies.includes(name) || /^__Host-/i.test(name)) return [];
    const kept = attributes.flatMap((attribute) => {
      const [key = '', value = ''] = attribute.split('=', 2).map((part) => part.trim());
      if (/^domain$/i.test(key)) return [];
      return /^path$/i.test(key) ? [`Path=${pathForClient(value, place)}`] : [attribute];
    });
    return [[pair, ...kept].join('; ')];
  });
}

function pathForClient(path: string, { base, path: mount }: { base: URL; path: string }): string {
  const below = path.startsWith(base.pathname) ? path.slice(base.pathname.length) : '';
  return /^[!-:<-~]*$/.test(below) ? `${mount}/${below}` : `${mount}/`;
}
