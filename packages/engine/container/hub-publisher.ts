import { Socket } from 'node:net';
import { encodePublish, maxDataLength, maxTopicLength, publishChannel } from '../protocol/publish-frames.js';

/** What operators publish may wait for the host up to here; more is dropped, and said in the log. */
const maxPending = 256;

/** What this container says on topics of the gateway's hub. */
export interface HubPublisher {
  publish(topic: string, data: unknown): void;
  /** `text` is JSON. */
  publishText(topic: string, text: string): void;
  /** Resolves when nothing waits for the host any more. */
  settled(): Promise<void>;
}

/** The container's end of the channel that its messages take to the host. */
interface PublishChannel {
  /** `sent` is called when the frame is written, or never will be. */
  write(frame: Buffer, sent: () => void): unknown;
  /** What is written from now on waits for `uncork`, and goes out in one piece. */
  cork(): void;
  uncork(): void;
}

export function openPublishChannel(): PublishChannel {
  const channel = new Socket({ fd: publishChannel, readable: false, writable: true });
  // The host closes it with the container, whose end follows from the channel of orders.
  channel.on('error', () => {}).unref();
  // An operator that ends the process has said something before.
  process.on('exit', () => channel.uncork());
  return channel;
}

export function createHubPublisher(channel: PublishChannel, warn: (message: string) => void): HubPublisher {
  let pending = 0;
  let dropped = 0;
  let waiting: (() => void)[] = [];
  let isCorked = false;

  function sent(): void {
    pending--;
    if (pending > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  /** One write for what one turn of the scheduler said: each costs more than most messages do, here and in the host. */
  function flush(): void {
    isCorked = false;
    channel.uncork();
  }

  function publishText(topic: string, text: string): void {
    if (pending >= maxPending || text.length > maxDataLength || topic.length > maxTopicLength) {
      if (dropped++ % 1000 === 0)
        warn(
          `Dropped ${dropped} messages: the topic ${topic.slice(0, 256)} is published faster than the host takes it, or too large`,
        );
      return;
    }
    pending++;
    if (!isCorked) {
      isCorked = true;
      channel.cork();
      process.nextTick(flush);
    }
    channel.write(encodePublish(topic, text), sent);
  }

  return {
    publish(topic, data) {
      const text = JSON.stringify(data);
      if (text === undefined) throw new Error(`What is published on ${topic} must be JSON`);
      publishText(topic, text);
    },
    publishText,
    settled: () => (pending === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
