import type { ClientError } from 'headgate/client';
import { createStore } from './store.js';

/** To the gateway, by the one WebSocket and by calls; `since`: epoch milliseconds of this machine. */
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

const lost = new Set<() => void>();

/** Calls `listener` each time the gateway was lost, or did not come back. */
export function onLost(listener: () => void): void {
  lost.add(listener);
}

const told = (listeners: ReadonlySet<() => void>): void => {
  for (const listener of [...listeners]) listener();
};

/** How many topics are listened to: only then does the socket come back by itself. */
let wanted = 0;
let isSocketLost = false;

/** While something is live, until the returned function is called. */
export function wanting(): () => void {
  wanted += 1;
  return () => {
    wanted -= 1;
  };
}

export function connectionSaid({
  connected,
  error,
}: {
  readonly connected: boolean;
  readonly error?: ClientError;
}): void {
  isSocketLost = !connected;
  if (!connected) {
    isAway(error?.message);
    told(lost);
    return;
  }
  const before = connection.get();
  connection.set({ state: 'live', since: Date.now() });
  if (before.state === 'reconnecting') told(reopened);
}

/** A call was answered, whatever the answer: the gateway is there. Whether its topics are, the socket knows. */
export function answered(): void {
  if (connection.get().state !== 'reconnecting' || (isSocketLost && wanted > 0)) return;
  isSocketLost = false;
  connection.set({ state: 'idle', since: Date.now() });
  told(reopened);
}

const againMillis = 3000;
let again: ReturnType<typeof setTimeout> | undefined;

/** A call came to nobody. Screens without anything live have no other sign that the gateway is away. */
export function unanswered(reason: string): void {
  if (connection.get().state === 'live') return;
  isAway(reason);
  clearTimeout(again);
  again = setTimeout(() => told(lost), againMillis);
}

/** Since the first failure, not since the last try. */
function isAway(reason: string | undefined): void {
  if (connection.get().state === 'reconnecting') return;
  connection.set({ state: 'reconnecting', since: Date.now(), ...(reason === undefined ? {} : { reason }) });
}
