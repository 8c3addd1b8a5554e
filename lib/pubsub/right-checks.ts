import { withTimeout } from '../runtime/with-timeout.js';
import type { Caller, TopicRights } from './rights.js';

/** Asks for the rights of sockets. What is known is told at once, and costs no timer. */
export interface RightChecks {
  /** Rejects when the answer takes longer than `checkMs`. What is thrown at once becomes a rejection too. */
  mayRead(caller: Caller, topic: string): Promise<boolean> | boolean;
}

export function createRightChecks(
  rights: TopicRights,
  { checkMs }: { readonly checkMs: number },
): RightChecks {
  return {
    mayRead(caller, topic) {
      try {
        const answer = rights.mayRead(caller, topic);
        if (typeof answer === 'boolean') return answer;
        return withTimeout(checkMs, 'The right to a topic', undefined, () => answer);
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}
