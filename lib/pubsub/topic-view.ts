import type { Principal } from '../http/principal.js';
import type { Logger } from '../interfaces/logger.js';
import type { Frame, Framer } from './frame.js';
import { lastFrame } from './last-entries.js';
import type { Message } from './message.js';
import type { FoundTopic } from './topic-table.js';

/** What of a topic's messages each user may see. */
interface TopicView {
  /** `false`: everybody sees the same. */
  readonly isNeeded: boolean;
  /** The part of a message that a user may see, as JSON text. */
  textFor(user: Principal, message: Message): string;
  /** One frame for all users that see the same of a message; `undefined` for one of whom it can't be told what they may see. */
  framesOf(framer: Framer, message: Message): (user: Principal) => Frame | undefined;
}

export function createTopicView({ topic, service }: FoundTopic, logger: Logger): TopicView {
  const view = topic.view?.bind(topic);
  const { listing } = topic;
  const keyOf = createSightKeys();

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

  function tryFrame(frameFor: (user: Principal) => Frame, user: Principal): Frame | undefined {
    try {
      return frameFor(user);
    } catch (error) {
      logger.error(
        { event: 'hub.recipient_filter_failed', topic: topic.name, err: error },
        'What a user may see of the topic can not be told',
      );
      return undefined;
    }
  }

  return {
    isNeeded: view !== undefined,
    textFor,
    framesOf(framer, message) {
      const byKey = new Map<string, Frame | undefined>();
      const byText = new Map<string, Frame>();
      const frameFor = (user: Principal): Frame => {
        const text = textFor(user, message);
        const made = byText.get(text) ?? withLastEntries(framer, framer.frame(text), user, message);
        byText.set(text, made);
        return made;
      };
      return (user) => {
        const key = keyOf(user);
        if (!byKey.has(key)) byKey.set(key, tryFrame(frameFor, user));
        return byKey.get(key);
      };
    },
  };
}

/** Sockets of one user have a principal each, and see the same as long as the rights in them are the same. */
function createSightKeys(): (user: Principal) => string {
  const keys = new WeakMap<Principal, string>();
  return (user) => {
    const { userName, roles, isAdmin, permissions } = user;
    const key = keys.get(user) ?? JSON.stringify([userName, isAdmin, roles, [...permissions].sort()]);
    keys.set(user, key);
    return key;
  };
}
