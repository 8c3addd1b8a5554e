import type { Channel } from './channels.js';
import type { Receiver } from './outbox.js';
import type { Caller } from './rights.js';

/** One socket with what it listens to. The object itself is the member of the audiences. */
export interface Client extends Receiver {
  readonly caller: Caller;
  /** Searched from end to end: they are few, and a map for each socket would cost more than all else here. */
  channels: readonly Channel[];
  /** Of the heartbeat: its place in the wheel, and ticks. */
  slot: number;
  heardAt: number;
  pingedAt: number;
  unsentAtPing: number;
}
