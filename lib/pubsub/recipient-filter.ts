import type { Principal } from '../http/principal.js';
import type { Logger } from '../interfaces/logger.js';
import type { Audience, Subscriber } from './client.js';
import { afterWaiting } from './last-entries.js';
import type { Message } from './message.js';
import type { SendQueue } from './send-queue.js';
import type { FoundTopic } from './topic-table.js';
import { createTopicView } from './topic-view.js';
import type { TurnSlice } from './turn-slice.js';

/** Gives each receiver of a topic the part that it may see. */
export interface RecipientFilter {
  /** `false`: everybody gets the same. */
  readonly isNeeded: boolean;
  deliver(audience: Audience, message: Message): void;
  send(client: Subscriber, audience: Audience, message: Message): void;
  /** The part as JSON text. */
  textFor(user: Principal, message: Message): string;
  stop(): void;
}

interface RecipientFilterOptions {
  readonly sendQueue: Pick<SendQueue, 'send'>;
  readonly slice: TurnSlice;
  readonly logger: Logger;
}

export function createRecipientFilter(found: FoundTopic, options: RecipientFilterOptions): RecipientFilter {
  const { sendQueue, slice, logger } = options;
  const view = createTopicView(found, logger);
  const { listing } = found.topic;
  let turn: NodeJS.Immediate | undefined;
  let waiting: Message | undefined;

  function* steps(audience: Audience, message: Message): Generator<void, void, void> {
    const frameFor = view.framesOf(audience.framer, message);
    for (const client of audience.subscribers) {
      const { principal } = client.caller;
      const frame = principal && frameFor(principal);
      if (frame) sendQueue.send(client, frame);
      yield;
    }
  }

  /** Views of many receivers take time: they go on in the next turn when this one's is over. */
  function run(audience: Audience, delivery: Generator<void, void, void>): void {
    turn = undefined;
    slice.isOver();
    while (!delivery.next().done) {
      if (!slice.isOver()) continue;
      turn = setImmediate(run, audience, delivery);
      return;
    }
    const message = waiting;
    waiting = undefined;
    if (message) run(audience, steps(audience, message));
  }

  return {
    isNeeded: view.isNeeded,
    deliver(audience, message) {
      if (!audience.isSnapshot) for (const _ of steps(audience, message));
      else if (turn) waiting = waiting ? afterWaiting(listing, message, waiting) : message;
      else run(audience, steps(audience, message));
    },
    send(client, audience, message) {
      const { principal } = client.caller;
      const frame = principal && view.framesOf(audience.framer, message)(principal);
      if (frame) sendQueue.send(client, frame);
    },
    textFor: view.textFor,
    stop() {
      clearImmediate(turn);
    },
  };
}
