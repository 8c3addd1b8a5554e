import type { Subscriber } from './client.js';
import { textFrame } from './frame.js';
import type { Peer } from './peer.js';
import type { SendQueue } from './send-queue.js';

/** A socket, as far as what it asks for goes. `Subscriptions` and `Requests` own the last three members. */
export interface Asker extends Subscriber {
  readonly peer: Peer;
  /** Grows when its rights may have changed. */
  readonly epoch: number;
  /** Subscriptions whose right is being asked for; `isWanted` turns false when they were taken back meanwhile. */
  asking: Map<string, { isWanted: boolean }> | undefined;
  isListing: boolean;
  /** Whether one of its subscriptions was beyond the limit: that is logged once. */
  hadTooMany: boolean;
}

/** What went wrong with `topic`. It is sent only to those who asked for errors. */
interface Complaint {
  readonly topic: string;
  readonly code: string;
  readonly message: string;
}

export function complain(sendQueue: SendQueue, asker: Asker, { topic, code, message }: Complaint): void {
  if (!asker.peer.wantsErrors) return;
  sendQueue.send(asker, textFrame('', JSON.stringify({ type: 'error', topic, code, message })));
}
