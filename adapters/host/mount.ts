export interface MountOptions {
  /**
   * The path below which the host shows the gateway, as it stands in URLs: `/console`. A slash at its end changes
   * nothing. Default: none, the gateway's paths are the host's.
   */
  readonly prefix?: string;
}

const wellFormed = /^(\/[^/?#\s]+)*$/;

/** Throws for what can't be the beginning of a path. */
export function normalPrefix(prefix = ''): string {
  const trimmed = prefix.replace(/\/+$/, '');
  if (!wellFormed.test(trimmed)) {
    throw new TypeError(
      `The prefix ${JSON.stringify(prefix)} is no path: write it as in a URL, beginning with "/"`,
    );
  }
  return trimmed;
}

/** Front of an absolute request target. */
export const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Takes a request target to the URL that the core gets, path and query below the prefix, or to `undefined` when it is
 * not below it. Nothing is decoded. An absolute target (`GET http://host/path`, as proxies send it) loses its front.
 */
export function urlBelow(prefix: string): (target: string) => string | undefined {
  return (target) => {
    const url = target.startsWith('/') ? target : target.replace(authority, '');
    if (!url.startsWith(`${prefix}/`)) return undefined;
    return url.slice(prefix.length);
  };
}
