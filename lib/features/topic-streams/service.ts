import type { Principal } from '../../http/principal.js';
import { Text } from '../../http/reply.js';
import type { Call } from '../../http/route.js';
import { Forbidden, NotFound } from '../../model/errors.js';
import type { HubConnection, HubSocket } from '../../pubsub/socket.js';
import { EventStream } from './event-stream.js';

export interface TopicStreamService {
  /**
   * The messages of a topic, until the client hangs up, its session ends or the gateway does. Rejects with `Forbidden` when
   * the caller may not listen to it, `NotFound` for what is too long to be a topic, and like a WebSocket when there are too
   * many of them.
   */
  open(call: Call, topic: string, remoteAddress: string): Promise<Text>;
}

/** A place among the sockets of the hub. */
interface Place {
  connect(socket: HubSocket): HubConnection;
  leave(): void;
}

export function createTopicStreamService({
  admit,
  mayRead,
  topicBytes,
}: {
  /** Counts among the sockets of the user, as a WebSocket does. */
  readonly admit: (user: Principal, remoteAddress: string) => Promise<Place>;
  readonly mayRead: (user: Principal, topic: string) => Promise<boolean>;
  /** Of the longest name, in UTF-8. */
  readonly topicBytes: number;
}): TopicStreamService {
  return {
    async open({ user, signal }, topic, remoteAddress) {
      if (Buffer.byteLength(topic) > topicBytes) throw new NotFound('topic', topic.slice(0, 100));
      if (!(await mayRead(user, topic))) throw new Forbidden('You may not listen to this topic');
      const place = await admit(user, remoteAddress);
      if (signal.aborted) {
        place.leave();
        throw signal.reason;
      }
      const stream = new EventStream(place);
      stream.subscribe(topic);
      return new Text(stream, headers);
    },
  };
}

/** Nobody may keep it, change it, or hold it back: nginx gathers answers unless it is told not to. */
const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
