import type { FromContainer } from '../processes/protocol.js';

/** What operators publish may wait for the host up to here; more is dropped, and said in the log. */
const maxPendingPublishes = 256;
const maxPublishBytes = 1024 * 1024;

export interface Reports {
  send(message: FromContainer, sent?: () => void): void;
  publish(topic: string, data: unknown): void;
  /** `text` is JSON. */
  publishText(topic: string, text: string): void;
}

export function createReports(warn: (message: string) => void): Reports {
  let pending = 0;
  let dropped = 0;

  const send = (message: FromContainer, sent?: () => void) => {
    if (process.connected) process.send?.(message, undefined, {}, () => sent?.());
    else sent?.();
  };
  function publishText(topic: string, text: string): void {
    if (pending >= maxPendingPublishes || text.length > maxPublishBytes) {
      if (dropped++ % 1000 === 0)
        warn(
          `Dropped ${dropped} messages: the topic ${topic} is published faster than the host takes it, or too large`,
        );
      return;
    }
    pending++;
    send({ type: 'publish', topic, data: text }, () => {
      pending--;
    });
  }

  return {
    send,
    publish(topic, data) {
      const text = JSON.stringify(data);
      if (text === undefined) throw new Error(`What is published on ${topic} must be JSON`);
      publishText(topic, text);
    },
    publishText,
  };
}
