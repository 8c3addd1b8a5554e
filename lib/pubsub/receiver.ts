import type { Backlog } from './backlog.js';
import type { Pending } from './pending.js';
import type { HubSocket } from './socket.js';

/** One socket, as far as sending goes. The send queue and its congestion own these members; everybody else leaves them alone. */
export interface Receiver {
  readonly socket: HubSocket;
  /** What this turn of the event loop has for it. */
  pending: Pending | undefined;
  /** Present while the socket is above its high-water mark, or held. */
  backlog: Backlog | undefined;
  /** Nothing is sent before its rights are known again. */
  isHeld: boolean;
  isClosed: boolean;
  /** What was unsent when we last looked, and when that last became less. */
  unsentBytes: number;
  movedAt: number;
}
