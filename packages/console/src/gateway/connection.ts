import type { ClientError } from 'headgate/client';
import { createStore } from './store.js';

/** Of the one WebSocket; `since`: epoch milliseconds of this machine. */
export interface Connection {
  readonly state: 'idle' | 'live' | 'reconnecting';
  readonly since: number;
  readonly reason?: string;
}

export const connection = createStore<Connection>({ state: 'idle', since: Date.now() });

const reopened = new Set<() => void>();

/** Calls `listener` each time the connection stands again after it was lost: what was live has to be read anew. */
export function onReopened(listener: () => void): () => void {
  reopened.add(listener);
  return () => reopened.delete(listener);
}

export function connectionSaid({
  connected,
  error,
}: {
  readonly connected: boolean;
  readonly error?: ClientError;
}): void {
  const before = connection.get();
  if (connected) {
    connection.set({ state: 'live', since: Date.now() });
    if (before.state === 'reconnecting') for (const listener of [...reopened]) listener();
    return;
  }
  // Since the first failure, not since the last try.
  if (before.state === 'reconnecting') return;
  connection.set({ state: 'reconnecting', since: Date.now(), ...(error ? { reason: error.message } : {}) });
}
