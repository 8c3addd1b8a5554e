import type { Principal } from '../core/principal.js';
import type { Logger } from '../interfaces/logger.js';
import type { Channel } from './channels.js';
import type { Client } from './client.js';
import type { Frame, Framer } from './frame.js';
import type { Message } from './message.js';
import type { Outbox } from './outbox.js';
import type { FoundTopic } from './topic-table.js';
import type { TurnBudget } from './turn-budget.js';

/** Gives each receiver of a topic the part that he may see. */
export interface Viewer {
  /** `false`: everybody gets the same. */
  readonly isNeeded: boolean;
  deliver(channel: Channel, message: Message): void;
  send(client: Client, channel: Channel, message: Message): void;
  /** The part as JSON text. */
  textFor(user: Principal, message: Message): string;
  stop(): void;
}

export interface ViewerOptions {
  readonly outbox: Outbox;
  readonly budget: TurnBudget;
  readonly logger: Logger;
}

export function createViewer({ topic, service }: FoundTopic, options: ViewerOptions): Viewer {
  const { outbox, budget, logger } = options;
  const view = topic.view?.bind(topic);
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

  function* framesFor(channel: Channel, message: Message): Generator<void, void, void> {
    const frameFor = sharedFrames(channel.framer, message);
    for (const client of channel.subscribers) {
      const { principal } = client.caller;
      const frame = principal && frameFor(principal);
      if (frame) outbox.send(client, frame);
      yield;
    }
  }

  /** One frame for all principals that see the same; `undefined` for whom it can't be told what he may see. */
  function sharedFrames(framer: Framer, message: Message): (user: Principal) => Frame | undefined {
    const byUser = new Map<string, Frame | undefined>();
    const byText = new Map<string, Frame>();
    const frameOf = (text: string): Frame => {
      const made = byText.get(text) ?? framer.frame(text);
      byText.set(text, made);
      return made;
    };
    return (user) => {
      const key = keyOf(user);
      if (byUser.has(key)) return byUser.get(key);
      let made: Frame | undefined;
      try {
        made = frameOf(textFor(user, message));
      } catch (error) {
        logger.error({ topic: topic.name, err: error }, 'What a user may see of the topic can not be told');
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

  /** Views of many receivers take time: they go on in the next turn when this one's is over. */
  function run(channel: Channel, steps: Generator<void, void, void>): void {
    turn = undefined;
    budget.isSpent();
    while (!steps.next().done) {
      if (!budget.isSpent()) continue;
      turn = setImmediate(run, channel, steps);
      return;
    }
    const message = waiting;
    waiting = undefined;
    if (message) run(channel, framesFor(channel, message));
  }

  return {
    isNeeded: view !== undefined,
    deliver(channel, message) {
      if (!channel.isSnapshot) for (const _ of framesFor(channel, message));
      else if (turn) waiting = message;
      else run(channel, framesFor(channel, message));
    },
    send(client, channel, message) {
      const { principal } = client.caller;
      const frame = principal && sharedFrames(channel.framer, message)(principal);
      if (frame) outbox.send(client, frame);
    },
    textFor,
    stop() {
      clearImmediate(turn);
    },
  };
}
