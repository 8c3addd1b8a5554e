import type { Channel } from './channels.js';
import type { Receiver } from './outbox.js';
import type { Caller } from './rights.js';

/** One socket with what it listens to. The object itself is the member of the audiences. */
export interface Client extends Receiver {
  readonly caller: Caller;
  readonly channels: Map<string, Channel>;
  /** Of the heartbeat: its place in the wheel, and ticks. */
  slot: number;
  heardAt: number;
  pingedAt: number;
  unsentAtPing: number;
}
