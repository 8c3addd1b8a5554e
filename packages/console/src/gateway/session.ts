import { createStore } from './store.js';

/** `ended`: there was one, and somebody's page is still open; what is typed there stays. */
export type Session = 'unknown' | 'open' | 'none' | 'ended';

export const session = createStore<Session>('unknown');

const forbiddenListeners = new Set<() => void>();

/** Calls `listener` each time something was refused for want of a right. */
export function onForbidden(listener: () => void): void {
  forbiddenListeners.add(listener);
}

/** Somebody who is logged in may not do that, or no longer. */
export function forbidden(): void {
  for (const listener of [...forbiddenListeners]) listener();
}

/** A call was refused since nobody is logged in. */
export function refused(): void {
  const now = session.get();
  session.set(now === 'open' || now === 'ended' ? 'ended' : 'none');
}
