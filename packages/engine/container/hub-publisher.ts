import { Socket } from 'node:net';
import { encodePublish, maxDataLength, maxTopicLength, publishChannel } from '../processes/publish-frames.js';

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
}

export function openPublishChannel(): PublishChannel {
  const channel = new Socket({ fd: publishChannel, readable: false, writable: true });
  // The host closes it with the container, whose end follows from the channel of orders.
  return channel.on('error', () => {}).unref();
}

export function createHubPublisher(channel: PublishChannel, warn: (message: string) => void): HubPublisher {
  let pending = 0;
  let dropped = 0;
  let waiting: (() => void)[] = [];

  function sent(): void {
    pending--;
    if (pending > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
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
