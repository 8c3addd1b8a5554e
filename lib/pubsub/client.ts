import type { Channel } from './channels.js';
import { newReceiver, type Receiver } from './outbox.js';
import type { Caller } from './rights.js';
import type { HubSocket } from './socket.js';

/** One socket with what it listens to. The object itself is the member of the audiences. */
export interface Client extends Receiver {
  caller: Caller;
  readonly channels: Map<string, Channel>;
  /** Of the heartbeat, in its ticks. */
  heardAt: number;
  pingedAt: number;
  unsentAtPing: number;
}

export const newClient = (socket: HubSocket, caller: Caller): Client => ({
  ...newReceiver(socket),
  caller,
  channels: new Map(),
  heardAt: 0,
  pingedAt: 0,
  unsentAtPing: 0,
});
