import { z } from 'zod';
import { decodeString, jsonMembers } from './json-members.js';
import type { HubLimits } from './limits.js';

const aboutTopic = [
  'subscribe',
  'unsubscribe',
  'subscribeNumSubscribers',
  'unsubscribeNumSubscribers',
] as const;

/** What a client may say (`README.md` has a heading for each). `data` is the JSON text as it was sent. */
const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('publish'), topic: z.string().min(1), data: z.string() }),
  z.object({ type: z.enum(aboutTopic), topic: z.string().min(1) }),
  z.object({ type: z.literal('getLatestTopics') }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;

/** `undefined` for everything that is not a message: it is ignored, as the engine's own server did. */
export function parseMessage(
  text: string,
  limits: Pick<HubLimits, 'depth' | 'topicBytes'>,
): ClientMessage | undefined {
  const members = jsonMembers(text, limits.depth);
  if (members === undefined) return undefined;
  const data = members.get('data');
  const parsed = ClientMessage.safeParse({
    type: textOf(members.get('type')),
    topic: textOf(members.get('topic')),
    data: data === 'null' ? undefined : data,
  });
  if (!parsed.success) return undefined;
  const message = parsed.data;
  return 'topic' in message && !fits(message.topic, limits.topicBytes) ? undefined : message;
}

const textOf = (json: string | undefined): string | undefined =>
  json?.startsWith('"') ? decodeString(json) : undefined;

/** Most names are short: three bytes hold any UTF-16 unit. */
const fits = (topic: string, bytes: number): boolean =>
  topic.length * 3 <= bytes || Buffer.byteLength(topic) <= bytes;
