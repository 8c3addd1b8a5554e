import { performance } from 'node:perf_hooks';
import type { HubPublisher } from './hub-publisher.js';
import type { Topics } from './topics.js';

/** Recorded tuples on their topic, while somebody listens there. */
interface LiveTuples {
  show(portId: string, windowId: string, count: number, json: string): void;
  end(): void;
}

/** `perSecond` at most: those beyond are not shown, which `tupleCount` tells. */
export function createLiveTuples(
  topic: string,
  perSecond: number,
  deps: { readonly topics: Pick<Topics, 'subscribe'>; readonly hub: Pick<HubPublisher, 'publishText'> },
): LiveTuples {
  let isHeard = false;
  let left = perSecond;
  let second = 0;
  const end = deps.topics.subscribe(`${topic}.numSubscribers`, (count) => {
    isHeard = Number(count) > 0;
  });
  return {
    show(portId, windowId, count, json) {
      if (!isHeard) return;
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) {
        second = now;
        left = perSecond;
      }
      if (left-- <= 0) return;
      deps.hub.publishText(
        topic,
        `{"portId":"${portId}","windowId":"${windowId}","tupleCount":${count},"data":${json}}`,
      );
    },
    end,
  };
}
