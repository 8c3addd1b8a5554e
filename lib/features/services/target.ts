import { BadRequest } from '../../core/errors.js';
import type { ReplaceString } from './schema.js';

/** Where a running service listens, and how it wants to be called: variables are replaced. */
export interface ServiceTarget {
  /** Of the service, also when it was asked for by its other name. */
  readonly name: string;
  /** `http:`; its path ends with a slash. */
  readonly base: URL;
  /** The gateway follows redirects itself. */
  readonly followRedirect: boolean;
  /** Added to each request; they outdo what the client sent. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** In this order; their patterns were checked when the definition came in. */
  readonly replaceStrings: readonly ReplaceString[];
}

export interface ServiceTargets {
  /**
   * By name, or by `proxy.name`. Rejects with `NotFound` for an unknown service and for one without a proxy address, with
   * `NotReady` while it does not run, with `BadRequest` while its address can't be understood or lacks the value of a
   * variable. Costs nothing: what is known is told, and nobody is asked.
   */
  target(name: string): Promise<ServiceTarget>;
}

/** `8080`, `host:8080`, `host:8080/path`, also with IPv6 in brackets; without a host: this machine. */
export function baseOf(address: string): URL {
  const [, host = '127.0.0.1', port = '', path = '/'] =
    /^(?:([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):)?(\d{1,5})(\/[^\s?#\\]*)?$/.exec(address) ?? [];
  const text = `http://${host}:${port}${path.endsWith('/') ? path : `${path}/`}`;
  if (port === '' || Number(port) < 1 || Number(port) > 65_535 || !URL.canParse(text))
    throw new BadRequest(
      `The proxy address ${JSON.stringify(address)} is no port, host:port or host:port/path`,
    );
  return new URL(text);
}
