import type { Principal } from '../http/principal.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { Audience, Subscriber } from './client.js';
import type { ListingReading } from './final-listings.js';
import { createFramer, type Frame, type Framer } from './frame.js';
import { lastFrame } from './last-entries.js';
import { type Message, textMessage, valueMessage } from './message.js';
import { createRecipientFilter, type RecipientFilter } from './recipient-filter.js';
import { createRetainedFrame } from './retained-frame.js';
import type { SendQueue } from './send-queue.js';
import type { FoundTopic } from './topic-table.js';
import type { TurnSlice } from './turn-slice.js';

/** A listener inside the gateway. `data` is JSON text. */
export interface Listener {
  readonly receive: ((data: string) => void) | undefined;
}

/** What all channels of a hub share. */
export interface ChannelContext {
  readonly clock: Clock;
  readonly sendQueue: SendQueue;
  readonly logger: Logger;
  readonly slice: TurnSlice;
}

/** A topic that somebody listens to: it knows its newest message, and brings each to all who listen. */
export class TopicChannel implements Audience {
  readonly framer: Framer;
  readonly subscribers = new Set<Subscriber>();
  readonly listeners = new Set<Listener>();
  /** When the newest message of a snapshot was said (monotonic). */
  latestAt: number | undefined = undefined;
  stopReading: () => void = () => {};
  private readonly filter: RecipientFilter | undefined;
  /** Of the gateway's own snapshots: what each receiver has a view of its own of; of all others the frame is kept. */
  private latest: Message | undefined = undefined;
  private readonly latestFrame = createRetainedFrame();
  /** What a reading found last, as long as nothing else was said since. */
  private said: unknown = undefined;

  constructor(
    readonly name: string,
    readonly found: FoundTopic | undefined,
    readonly isSnapshot: boolean,
    private readonly context: ChannelContext,
  ) {
    this.framer = createFramer(name, isSnapshot);
    this.filter = found && createRecipientFilter(found, context);
  }

  get listenerCount(): number {
    return this.subscribers.size + this.listeners.size;
  }

  /** What was read: said again as it is where it is the same as the last time. */
  say({ data, lasting, lastEntries }: Omit<ListingReading, 'told'>): void {
    const again = data === this.said && !this.filter?.isNeeded ? this.latestFrame.copy() : undefined;
    if (again) this.repeat(again);
    else {
      const message = valueMessage(data, lastEntries);
      this.deliver(message, lasting === data ? message : valueMessage(lasting));
      this.said = lasting;
    }
  }

  private repeat(frame: Frame): void {
    const { subscribers, listeners, framer, context } = this;
    this.latestAt = context.clock.monotonic();
    if (listeners.size > 0) {
      const message = textMessage(framer.dataOf(frame));
      for (const listener of listeners) this.tell(listener, message);
    }
    for (const client of subscribers) context.sendQueue.send(client, frame);
  }

  /** `lasting`: what those get who come later, and alerts read: nothing that has ended. */
  deliver(message: Message, lasting = message): void {
    const { filter, subscribers, latestFrame, framer, isSnapshot, found, context } = this;
    this.said = undefined;
    for (const listener of this.listeners) this.tell(listener, message);
    const isKept = isSnapshot && found !== undefined;
    if (isKept) this.latestAt = context.clock.monotonic();
    if (filter?.isNeeded) {
      if (isKept) this.latest = lasting;
      if (subscribers.size > 0) filter.deliver(this, message);
    } else if (subscribers.size > 0) {
      const frame = this.frameOf(message);
      if (isKept && lasting === message) latestFrame.keep(frame);
      else if (isKept) latestFrame.make(framer, lasting.body());
      for (const client of subscribers) context.sendQueue.send(client, frame);
    } else if (isKept) latestFrame.make(framer, lasting.body());
  }

  /** What was said last, for somebody who has just joined. */
  sendLatest(client: Subscriber): void {
    const { filter, latest } = this;
    if (filter?.isNeeded) {
      if (latest) filter.send(client, this, latest);
    } else {
      const frame = this.latestFrame.frame();
      if (frame) this.context.sendQueue.send(client, frame);
    }
  }

  /** What was said last as JSON text; as `user` sees it when given. */
  latestText(user?: Principal): string | undefined {
    const { filter, latest } = this;
    if (latest) return user && filter?.isNeeded ? filter.textFor(user, latest) : latest.text();
    const frame = this.latestFrame.frame();
    return frame && this.framer.dataOf(frame);
  }

  end(): void {
    this.stopReading();
    this.filter?.stop();
  }

  private frameOf(message: Message): Frame {
    const { framer, found } = this;
    const frame = framer.frame(message.body());
    const { lastEntries } = message;
    const listing = found?.topic.listing;
    return lastEntries && listing ? lastFrame(framer, listing, frame, lastEntries) : frame;
  }

  private tell({ receive }: Listener, message: Message): void {
    try {
      receive?.(message.text());
    } catch (error) {
      this.context.logger.error(
        { event: 'hub.listener_failed', topic: this.name, err: error },
        'A listener of the topic failed',
      );
    }
  }
}
