import type { IncomingHttpHeaders } from 'node:http';

/** What tells where a request comes from. */
interface Sent {
  readonly headers: IncomingHttpHeaders;
  /** Whether it came over TLS, as far as is known; without it nobody here knows what the browser spoke. */
  readonly isSecure?: boolean | undefined;
}

/**
 * Whether a page of another origin sent this. Browsers say so themselves; programs send neither header and pass.
 * `allowed` holds whole origins (`https://console.example.org`), for hosts behind a proxy that changes `Host`
 * and for consoles that live elsewhere.
 */
export function foreignOrigin(
  { headers, isSecure = false }: Sent,
  allowed: readonly string[],
): string | undefined {
  const { origin, host } = headers;
  if (origin !== undefined && allowed.includes(origin)) return undefined;
  if (origin !== undefined) {
    const [, scheme = '', name = ''] = /^(https?):\/\/(.*)$/.exec(origin) ?? [];
    const isOwn = name !== '' && name === host && !(isSecure && scheme !== 'https');
    if (!isOwn) return origin;
  }
  // The browser compares whole origins, the scheme too, where only `Host` is known here.
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site' ? (origin ?? 'another site') : undefined;
}
