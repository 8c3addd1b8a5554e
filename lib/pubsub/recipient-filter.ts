import type { Principal } from '../http/principal.js';
import type { Logger } from '../interfaces/logger.js';
import type { Audience, Subscriber } from './client.js';
import type { Frame, Framer } from './frame.js';
import { afterWaiting, lastFrame } from './last-entries.js';
import type { Message } from './message.js';
import type { SendQueue } from './send-queue.js';
import type { FoundTopic } from './topic-table.js';
import type { TurnBudget } from './turn-budget.js';

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
  readonly budget: TurnBudget;
  readonly logger: Logger;
}

export function createRecipientFilter(
  { topic, service }: FoundTopic,
  options: RecipientFilterOptions,
): RecipientFilter {
  const { sendQueue, budget, logger } = options;
  const view = topic.view?.bind(topic);
  const { listing } = topic;
  let turn: NodeJS.Immediate | undefined;
  let waiting: Message | undefined;
  const keys = new WeakMap<Principal, string>();

  /** Sockets of one user have a principal each, and see the same as long as the rights in them are the same. */
  function keyOf(user: Principal): string {
    const { userName, roles, isAdmin, permissions } = user;
    const key = keys.get(user) ?? JSON.stringify([userName, isAdmin, roles, [...permissions].sort()]);
    keys.set(user, key);
    return key;
  }

  function* framesFor(audience: Audience, message: Message): Generator<void, void, void> {
    const frameFor = sharedFrames(audience.framer, message);
    for (const client of audience.subscribers) {
      const { principal } = client.caller;
      const frame = principal && frameFor(principal);
      if (frame) sendQueue.send(client, frame);
      yield;
    }
  }

  /** One frame for all principals that see the same; `undefined` for one of whom it can't be told what they may see. */
  function sharedFrames(framer: Framer, message: Message): (user: Principal) => Frame | undefined {
    const byUser = new Map<string, Frame | undefined>();
    const byText = new Map<string, Frame>();
    const frameOf = (user: Principal): Frame => {
      const text = textFor(user, message);
      const made = byText.get(text) ?? withLastEntries(framer, framer.frame(text), user, message);
      byText.set(text, made);
      return made;
    };
    return (user) => {
      const key = keyOf(user);
      if (byUser.has(key)) return byUser.get(key);
      let made: Frame | undefined;
      try {
        made = frameOf(user);
      } catch (error) {
        logger.error(
          { event: 'hub.recipient_filter_failed', topic: topic.name, err: error },
          'What a user may see of the topic can not be told',
        );
      }
      byUser.set(key, made);
      return made;
    };
  }

  function textFor(user: Principal, message: Message): string {
    const whole = message.value();
    const part = view ? view(service, user, whole) : whole;
    return part === whole ? message.text() : JSON.stringify(part);
  }

  function withLastEntries(framer: Framer, frame: Frame, user: Principal, { lastEntries }: Message): Frame {
    if (!lastEntries || !listing || !view) return frame;
    const seen = listing.split(view(service, user, listing.join([...lastEntries.values()])));
    return seen.size === 0 ? frame : lastFrame(framer, listing, frame, seen);
  }

  /** Views of many receivers take time: they go on in the next turn when this one's is over. */
  function run(audience: Audience, steps: Generator<void, void, void>): void {
    turn = undefined;
    budget.isSpent();
    while (!steps.next().done) {
      if (!budget.isSpent()) continue;
      turn = setImmediate(run, audience, steps);
      return;
    }
    const message = waiting;
    waiting = undefined;
    if (message) run(audience, framesFor(audience, message));
  }

  return {
    isNeeded: view !== undefined,
    deliver(audience, message) {
      if (!audience.isSnapshot) for (const _ of framesFor(audience, message));
      else if (turn) waiting = waiting ? afterWaiting(listing, message, waiting) : message;
      else run(audience, framesFor(audience, message));
    },
    send(client, audience, message) {
      const { principal } = client.caller;
      const frame = principal && sharedFrames(audience.framer, message)(principal);
      if (frame) sendQueue.send(client, frame);
    },
    textFor,
    stop() {
      clearImmediate(turn);
    },
  };
}
