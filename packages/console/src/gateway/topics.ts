import type { ClientError } from 'headgate/client';
import { client } from './client.js';
import { wanting } from './connection.js';
import { forbidden } from './session.js';
import { createTopics } from './topic-store.js';

/** The live topics of this page: one subscription each, however many components look at it. */
export const topics = createTopics({
  subscribe(topic, onData, onError) {
    const unsubscribe = client.subscribe(topic, onData, (error) => {
      onError(error);
      if (error.code === 'FORBIDDEN') forbidden();
    });
    const unwant = wanting();
    return () => {
      unwant();
      unsubscribe();
    };
  },
  nextFrame: (flush) => {
    requestAnimationFrame(flush);
  },
});

document.addEventListener('visibilitychange', () => topics.rest(document.hidden));

export type { ClientError };
