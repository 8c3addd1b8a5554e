import { useEffect, useState } from 'react';
import { client } from '../../gateway/client.js';
import type { TopicValue } from '../../gateway/topic-store.js';
import { topics } from '../../gateway/topics.js';

export interface Messages {
  readonly latest: TopicValue | undefined;
  /** The one before, to compare with. */
  readonly before: TopicValue | undefined;
  /** Messages a second over the last ten. */
  readonly perSecond: number;
}

const spanMillis = 10_000;

/** What arrives on a topic, drawn at most once a frame. */
export function useMessages(topic: string): Messages {
  const [messages, setMessages] = useState<Messages>({ latest: undefined, before: undefined, perSecond: 0 });
  useEffect(() => {
    let arrivals: number[] = [];
    let waiting: TopicValue | undefined;
    const draw = () => {
      const latest = waiting;
      waiting = undefined;
      const now = Date.now();
      arrivals = arrivals.filter((at) => now - at < spanMillis);
      setMessages(({ latest: before }) => ({
        latest,
        before,
        perSecond: (arrivals.length * 1000) / spanMillis,
      }));
    };
    return topics.each(topic, (value) => {
      arrivals.push(value.receivedAt);
      // Of a fast topic the rate is what counts, and not each time.
      if (arrivals.length > 20_000) arrivals = arrivals.slice(-10_000);
      if (waiting === undefined) requestAnimationFrame(draw);
      waiting = value;
    });
  }, [topic]);
  return messages;
}

/** How many sockets listen; `undefined` until the gateway has told. */
export function useSubscribers(topic: string): number | undefined {
  const [count, setCount] = useState<number>();
  useEffect(() => client.countSubscribers(topic, setCount), [topic]);
  return count;
}
