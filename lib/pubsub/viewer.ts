import type { Principal } from '../core/principal.js';
import type { Clock } from '../interfaces/clock.js';
import type { Channel } from './channels.js';
import type { Client } from './client.js';
import type { Frame, Framer } from './frame.js';
import type { HubLimits } from './limits.js';
import type { Message } from './message.js';
import type { Outbox } from './outbox.js';
import type { FoundTopic } from './topic-table.js';

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
  readonly clock: Clock;
  readonly limits: Pick<HubLimits, 'turnMs'>;
}

export function createViewer({ topic, service }: FoundTopic, options: ViewerOptions): Viewer {
  const { outbox, clock, limits } = options;
  const view = topic.view?.bind(topic);
  let turn: NodeJS.Immediate | undefined;
  let waiting: Message | undefined;

  function* framesFor(channel: Channel, message: Message): Generator<void, void, void> {
    const frameFor = sharedFrames(channel.frame, message);
    for (const client of channel.subscribers) {
      const { principal } = client.caller;
      if (principal) outbox.send(client, frameFor(principal));
      yield;
    }
  }

  /** One frame for all principals that see the same. */
  function sharedFrames(frame: Framer, message: Message): (user: Principal) => Frame {
    const byUser = new Map<Principal, Frame>();
    const byText = new Map<string, Frame>();
    const remember = <K>(frames: Map<K, Frame>, key: K, made: Frame): Frame => {
      frames.set(key, made);
      return made;
    };
    return (user) => {
      const known = byUser.get(user);
      if (known) return known;
      const text = textFor(user, message);
      return remember(byUser, user, byText.get(text) ?? remember(byText, text, frame(Buffer.from(text))));
    };
  }

  function textFor(user: Principal, message: Message): string {
    const whole = message.value();
    const part = view ? view(service, user, whole) : whole;
    return part === whole ? message.text() : JSON.stringify(part);
  }

  /** Views of many receivers take time: they go on in the next turn after `limits.turnMs`. */
  function run(channel: Channel, steps: Generator<void, void, void>): void {
    turn = undefined;
    const until = clock.monotonic() + limits.turnMs;
    while (!steps.next().done) {
      if (clock.monotonic() < until) continue;
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
      if (principal) outbox.send(client, sharedFrames(channel.frame, message)(principal));
    },
    textFor,
    stop() {
      clearImmediate(turn);
    },
  };
}
