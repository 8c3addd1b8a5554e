import { createFinalListings, type ListingReading } from './final-listings.js';
import { createTicker } from './ticker.js';
import { createTopicReader, type TopicReaderOptions } from './topic-reader.js';
import type { FoundTopic } from './topic-table.js';

type Publish = (reading: Omit<ListingReading, 'told'>) => void;

/** Reads topics again and again. */
export interface Publisher {
  /**
   * Reads at once, then every `topic.every` ms until the returned function is called. A slow reading delays only its
   * own next one; a failing one is one log line until it works again. Topics without `read` are left alone.
   */
  start(name: string, found: FoundTopic, publish: Publish): () => void;
}

export function createPublisher(options: TopicReaderOptions): Publisher {
  const { slices } = options;
  const ticker = createTicker(options);
  const finalListings = createFinalListings(options);
  return {
    start(name, found, publish) {
      const { every = 1000, read } = found.topic;
      if (read === undefined) return () => {};
      const reader = createTopicReader(
        { name, every, publish, read: (signal) => finalListings.read(name, found, signal) },
        options,
      );
      // Many may subscribe in one turn, after a restart.
      slices.run(() => {
        reader.tick();
        return false;
      });
      const leave = ticker.join(every, reader.tick);
      return () => {
        leave();
        reader.stop();
      };
    },
  };
}
