import type { Readable } from 'node:stream';
import type { Principal } from '../http/principal.js';
import { Forbidden, NotFound } from '../model/errors.js';
import { EventStream } from './event-stream.js';
import type { Hub } from './hub.js';
import type { PubsubEntry } from './upgrade-handler.js';

/**
 * Opens the stream of a topic's server-sent events, which ends with the client, its session or the gateway. It counts among the
 * sockets of the user. Rejects with `Forbidden` for who may not listen, with `NotFound` for what is too long to be a topic, and as
 * `PubsubEntry.admit`.
 */
type OpenTopicStream = (
  user: Principal,
  topic: string,
  client: { readonly remoteAddress: string; readonly signal: AbortSignal },
) => Promise<Readable>;

export const createTopicStreams =
  (hub: Pick<Hub, 'mayRead'>, { admit, limits }: PubsubEntry): OpenTopicStream =>
  async (user, topic, { remoteAddress, signal }) => {
    if (Buffer.byteLength(topic) > limits.topicBytes) throw new NotFound('topic', topic.slice(0, 100));
    if (!(await hub.mayRead(user, topic))) throw new Forbidden('You may not listen to this topic');
    const place = await admit(user, remoteAddress);
    if (signal.aborted) {
      place.leave();
      throw signal.reason;
    }
    const stream = new EventStream(place);
    stream.subscribe(topic);
    return stream;
  };
