import type { Readable } from 'node:stream';
import type { Principal } from '../../http/principal.js';
import { Text } from '../../http/reply.js';
import type { Call } from '../../http/route.js';

export interface TopicStreamService {
  /** The events of a topic, as they come. Rejects with `Forbidden`, `NotFound`, and like a WebSocket when there are too many. */
  open(call: Call, topic: string, remoteAddress: string): Promise<Text>;
}

export const createTopicStreamService = (deps: {
  readonly open: (
    user: Principal,
    topic: string,
    client: { readonly remoteAddress: string; readonly signal: AbortSignal },
  ) => Promise<Readable>;
}): TopicStreamService => ({
  open: async ({ user, signal }, topic, remoteAddress) =>
    new Text(await deps.open(user, topic, { remoteAddress, signal }), headers),
});

/** Nobody may keep it, change it, or hold it back: nginx gathers answers unless it is told not to. */
const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
