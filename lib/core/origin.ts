import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page of another origin sent this. Browsers say so themselves; programs send neither header and pass.
 * `allowed` holds whole origins (`https://console.example.org`), for hosts behind a proxy that changes `Host`
 * and for consoles that live elsewhere.
 */
export function foreignOrigin(headers: IncomingHttpHeaders, allowed: readonly string[]): string | undefined {
  const { origin, host } = headers;
  if (origin !== undefined) {
    const own = origin.replace(/^https?:\/\//, '') === host && host !== undefined;
    return own || allowed.includes(origin) ? undefined : origin;
  }
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site' ? 'another site' : undefined;
}
