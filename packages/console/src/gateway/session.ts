import { createStore } from './store.js';

/** `ended`: there was one, and somebody's page is still open; what is typed there stays. */
export type Session = 'unknown' | 'open' | 'none' | 'ended';

export const session = createStore<Session>('unknown');

/** A call was refused since nobody is logged in. */
export function refused(): void {
  const now = session.get();
  session.set(now === 'open' || now === 'ended' ? 'ended' : 'none');
}
