import type { Framer } from './frame.js';
import type { Receiver } from './receiver.js';
import type { Caller } from './rights.js';

/** Who gets the frames of a topic. */
export interface Audience {
  readonly name: string;
  readonly framer: Framer;
  readonly isSnapshot: boolean;
  readonly subscribers: Set<Subscriber>;
}

/** One socket with what it listens to. The object itself is the member of the audiences. */
export interface Subscriber extends Receiver {
  readonly caller: Caller;
  /** Searched from end to end: they are few, and a map for each socket would cost more than all else here. */
  audiences: readonly Audience[];
  /** Of the heartbeat: its place in the wheel, and ticks. */
  slot: number;
  heardAt: number;
  /** Of the first ping since then. */
  pingedAt: number;
  unsentAtPing: number;
}

export const audienceOf = (client: Subscriber, topic: string): Audience | undefined =>
  client.audiences.find(({ name }) => name === topic);
