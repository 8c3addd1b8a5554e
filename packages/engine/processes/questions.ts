import { TooManyRequests, Unreachable } from 'headgate/driver-kit';
import type { Agent } from '../layout/physical-state.js';
import type { FromContainer, Question } from '../protocol/protocol.js';

/** Questions that one container may have open; a stuck one must not collect them. */
const maxOpen = 64;

type Reply = Extract<FromContainer, { type: 'answer' | 'refusal' }>;

/** The questions to one container that wait for an answer. */
interface Questions extends Pick<Agent, 'ask'> {
  settle(reply: Reply): void;
  /** The container is gone. */
  end(): void;
}

/** A container could not do what it was asked for, by its operator's own words. */
export class Refused extends Error {}

export function createQuestions(
  containerId: string,
  send: (order: { type: 'ask'; id: number; question: Question }) => void,
): Questions {
  const open = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let next = 0;
  let isOver = false;
  const gone = () => new Unreachable(`The container ${containerId}`);

  return {
    ask(question, signal) {
      return new Promise((resolve, reject) => {
        if (isOver) throw gone();
        signal?.throwIfAborted();
        if (open.size >= maxOpen)
          throw new TooManyRequests(`The container ${containerId} has ${maxOpen} questions to answer`, 1);
        const id = next++;
        const abort = () => {
          open.delete(id);
          reject(signal?.reason);
        };
        const close = () => {
          open.delete(id);
          signal?.removeEventListener('abort', abort);
        };
        signal?.addEventListener('abort', abort, { once: true });
        open.set(id, {
          resolve(value) {
            close();
            resolve(value);
          },
          reject(error) {
            close();
            reject(error);
          },
        });
        send({ type: 'ask', id, question });
      });
    },
    settle(reply) {
      const waiting = open.get(reply.id);
      if (reply.type === 'answer') waiting?.resolve(reply.value);
      else waiting?.reject(new Refused(reply.message));
    },
    end() {
      isOver = true;
      for (const waiting of [...open.values()]) waiting.reject(gone());
    },
  };
}
