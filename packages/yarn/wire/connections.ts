import { createHttpClient, type TlsOptions } from 'headgate/driver-kit';
import { type Authorize, authorized } from './authorized.js';

/** Milliseconds for what a healthy master takes long for. */
const slowMillis = 60_000;
/** A master itself waits 5 s for a container. */
const liveMillis = 8000;

interface ConnectionSettings {
  readonly limits: { readonly timeoutMillis: number; readonly answerBytes: number };
  readonly tls: TlsOptions | undefined;
  readonly authorize: Authorize | undefined;
}

/** Each kind of call has connections of its own. Those to files are authorized where it is known which server they go to. */
export function connectionsOf({ limits, tls, authorize }: ConnectionSettings) {
  const client = (connections: number, timeoutMillis = limits.timeoutMillis) =>
    createHttpClient({ connections, timeoutMillis, answerBytes: limits.answerBytes, tls });
  return {
    manager: authorized(client(16), 'resourceManager', authorize),
    proxy: authorized(client(64), 'resourceManager', authorize),
    direct: client(4),
    slow: client(4, slowMillis),
    live: client(2, Math.max(liveMillis, limits.timeoutMillis)),
    nodes: authorized(client(16), 'nodeManager', authorize),
    files: client(16),
  };
}
