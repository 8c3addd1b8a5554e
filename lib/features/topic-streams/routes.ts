import { text } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { TopicName } from './schema.js';
import type { TopicStreamService } from './service.js';

const route = routeFor<TopicStreamService>();

/** For clients and hosts without WebSockets; `docs/pubsub.md`, Server-sent events. */
export const topicStreamRoutes = {
  readTopic: route({
    method: 'GET',
    path: '/ws/v2/topics/{topic}',
    access: 'user',
    resource: 'topic',
    summary: 'Read a topic as server-sent events: each is a message as the WebSocket brings it',
    params: TopicName,
    refusals: [404, 429],
    reply: text('text/event-stream'),
    handle: (streams, call) => streams.open(call, call.params.topic, call.caller.remoteAddress),
  }),
};
