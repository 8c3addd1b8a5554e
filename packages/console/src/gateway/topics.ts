import type { ClientError } from 'headgate/client';
import { client } from './client.js';
import { createTopics } from './topic-store.js';

/** The live topics of this page: one subscription each, however many components look at it. */
export const topics = createTopics({
  subscribe: (topic, onData, onError) => client.subscribe(topic, onData, onError),
  nextFrame: (flush) => {
    requestAnimationFrame(flush);
  },
});

document.addEventListener('visibilitychange', () => topics.rest(document.hidden));

export type { ClientError };
