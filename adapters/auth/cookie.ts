import type { IncomingHttpHeaders } from 'node:http';
import { type OptionChecks, option } from '../../lib/driver-kit.js';

export interface CookieOptions {
  /** Default: `headgate_session`. With `__Host-` in front browsers insist on `secure`, path `/` and no domain. */
  readonly name?: string;
  /** Default: none, so only the host that set it gets it back. */
  readonly domain?: string;
  /** Default: `/`. */
  readonly path?: string;
  /** `true` when TLS ends in front of this server. Default: for each cookie, whether it is set over TLS that ends here. */
  readonly secure?: boolean;
  /** `lax` when people come from links on other sites and should be logged in already. Default: `strict`. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
}

interface Cookie {
  /** The values that came under our name, in their order: another path or domain may have set one too. */
  valuesOf(headers: IncomingHttpHeaders): readonly string[];
  /** `isSecure`: the request that it answers came over TLS. */
  set(value: string, isSecure: boolean): string;
  clear(isSecure: boolean): string;
}

export const cookieOptions: OptionChecks<CookieOptions> = {
  name: option.text,
  domain: option.text,
  path: option.text,
  secure: option.flag,
  sameSite: option.oneOf('strict', 'lax', 'none'),
};

/** More cookies of one name than this are somebody's game. */
const maxValues = 4;

/** Throws `TypeError` for options that no browser accepts. */
export function createCookie(options: CookieOptions = {}): Cookie {
  const { name = 'headgate_session', domain, path = '/', secure, sameSite = 'strict' } = options;
  if (!/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(name)) throw new TypeError(`cookie.name: ${name} is no cookie name`);
  if (!/^\/[!-:<-~]*$/.test(path)) throw new TypeError(`cookie.path: ${path} is no path`);
  if (domain !== undefined && !/^[A-Za-z0-9.-]+$/.test(domain)) {
    throw new TypeError(`cookie.domain: ${domain} is no domain`);
  }
  if (sameSite === 'none' && !secure) throw new TypeError("cookie.sameSite: 'none' needs secure: true");
  if (name.startsWith('__Secure-') && !secure) throw new TypeError(`cookie.name: ${name} needs secure: true`);
  if (name.startsWith('__Host-') && (!secure || path !== '/' || domain !== undefined)) {
    throw new TypeError(`cookie.name: ${name} needs secure: true, path '/' and no domain`);
  }
  const attributes = [
    `Path=${path}`,
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    'HttpOnly',
    `SameSite=${sameSite.charAt(0).toUpperCase()}${sameSite.slice(1)}`,
  ].join('; ');
  const attributesFor = (isSecure: boolean) => ((secure ?? isSecure) ? `${attributes}; Secure` : attributes);

  return {
    valuesOf(headers) {
      const values: string[] = [];
      const text = headers.cookie ?? '';
      for (let from = 0, next = 0; next >= 0 && values.length < maxValues; from = next + 1) {
        next = text.indexOf(';', from);
        const at = text.indexOf('=', from);
        if (at < 0) break;
        const end = next < 0 ? text.length : next;
        if (at < end && text.slice(from, at).trim() === name) values.push(text.slice(at + 1, end).trim());
      }
      return values;
    },
    set: (value, isSecure) => `${name}=${value}; ${attributesFor(isSecure)}`,
    clear: (isSecure) => `${name}=; Max-Age=0; ${attributesFor(isSecure)}`,
  };
}
