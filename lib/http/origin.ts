import type { IncomingHttpHeaders } from 'node:http';
import type { OptionCheck } from '../runtime/option-checks.js';
import { shown } from '../runtime/option-sentences.js';

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

/** Of a whole origin, as browsers send it: anything else would never be equal to one. */
export const originOption: OptionCheck = {
  problem(given, { caller, path }) {
    if (given === '*')
      return `${caller}: ${path}: name each origin; '*' is none (pages of all origins: platform.gateway.allowCrossOrigin)`;
    if (typeof given !== 'string')
      return `${caller}: ${path} must be an origin such as 'https://streams.example.org', not ${shown(given)}`;
    const wanted = wholeOrigin(given);
    return wanted === given
      ? undefined
      : `${caller}: ${path} must be a whole origin, ${shown(wanted)}, not ${shown(given)}`;
  },
};

function wholeOrigin(given: string): string {
  // What pages of a file send.
  if (given === 'null') return given;
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  const [origin = ''] = /^[^:]+:\/\/[^/?#\s]*/.exec(withScheme) ?? [];
  return /^https?:/i.test(origin) && URL.canParse(origin) ? new URL(origin).origin : origin;
}
