import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { option, readOptions, requireArgument } from '../../lib/driver-kit.js';
import type { Gateway } from '../../lib/index.js';

export interface MountOptions {
  /**
   * The path below which the host shows the gateway, as it stands in URLs: `/streams`. A slash at its end changes
   * nothing. Default: none, the gateway's paths are the host's.
   */
  readonly prefix?: string;
}

const wellFormed = /^(\/[^/?#\s]+)*$/;

const mountedGateway = option.instance(
  ['handle', 'owns', 'operationAt', 'pubsub.accept'],
  '`await createGateway(...)`',
);

/**
 * The prefix, well formed. Throws a `TypeError` for what is no gateway: one that is still to come would let requests hang,
 * and end the process when it fails to.
 */
export function mountedAt(caller: string, gateway: Gateway, options: MountOptions): string {
  requireArgument(caller, 'gateway', gateway, mountedGateway);
  const { prefix } = readOptions(caller, options, { prefix: option.text });
  return normalPrefix(prefix);
}

const nodeServer = option.instance(
  ['on', 'off', 'emit', 'address'],
  'a server of Node: what createServer(app) of node:http or app.listen(...) returned',
);

/** An application of a framework has events, too, and never one of those that are waited for. */
export const requireServer = (caller: string, server: Server | SecureServer): void =>
  requireArgument(caller, 'server', server, nodeServer);

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
