import type { TopicSource } from '../features/system-alerts/topic-readings.js';
import type { GatewayOptions } from '../options.js';
import { createHub, type Hub } from '../pubsub/hub.js';
import { bindTopics, type TopicTable } from '../pubsub/topic-table.js';
import { topics } from '../topics.js';
import type { Foundation } from './foundation.js';
import type { Services } from './services.js';

/** The hub over the topics of these services, and what conditions of alerts read of it. */
export function createTopicHub(
  options: GatewayOptions,
  { properties, clock, logger }: Foundation,
  services: Pick<Services, keyof typeof topics>,
): { readonly hub: Hub; readonly source: TopicSource } {
  const { limits } = options.pubsub ?? {};
  const interval = Number(properties.value('platform.gateway.autoPublishInterval'));
  const topicTable = bindTopics(topics, services, interval);
  const hub = createHub({
    topics: topicTable,
    authorize: options.authorize?.topic?.bind(options.authorize),
    clock,
    logger,
    ...(limits ? { limits } : {}),
  });
  return { hub, source: topicSourceOf(hub, topicTable) };
}

/** What conditions of alerts read. */
const topicSourceOf = (hub: Hub, topicTable: TopicTable): TopicSource => ({
  watch: hub.watch,
  isRead: (topic) => topicTable.find(topic)?.topic.read !== undefined,
  hasViews: (topic) => topicTable.find(topic)?.topic.view !== undefined,
  latest: hub.latest,
  latestAt: hub.latestAt,
  mayRead: hub.mayRead,
});
