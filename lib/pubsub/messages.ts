import * as z from 'zod';
import { findMembers, JsonScan, type Members, stringAt } from '../formats/json-scan.js';
import type { HubLimits } from './limits.js';

const aboutTopic = [
  'subscribe',
  'unsubscribe',
  'subscribeNumSubscribers',
  'unsubscribeNumSubscribers',
] as const;

/** What a client may say (`docs/pubsub.md`). `data` is JSON text, the bytes as they were sent. */
const ClientMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('publish'), topic: z.string().min(1), data: z.instanceof(Buffer) }),
  z.object({ type: z.enum(aboutTopic), topic: z.string().min(1) }),
  z.object({ type: z.literal('getLatestTopics') }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;

const members = ['type', 'topic', 'data'].map((name) => Buffer.from(name));

/** A message being read. */
interface MessageReader {
  /** Reads about so many bytes on; `false`: it was the last time. */
  step(bytes: number): boolean;
  /** After the last step; `undefined` for what is not a message: it is ignored, as the engine's own server did. */
  message(): ClientMessage | undefined;
}

export function readMessage(bytes: Buffer, limits: Pick<HubLimits, 'depth' | 'topicBytes'>): MessageReader {
  const scan = new JsonScan(bytes, members, limits.depth);
  return {
    step: (length) => scan.step(length),
    message: () => scan.members && messageOf(bytes, scan.members, limits.topicBytes),
  };
}

/** At once, whatever its length. */
export function parseMessage(
  bytes: Buffer,
  limits: Pick<HubLimits, 'depth' | 'topicBytes'>,
): ClientMessage | undefined {
  const found = findMembers(bytes, members, limits.depth);
  return found && messageOf(bytes, found, limits.topicBytes);
}

function messageOf(bytes: Buffer, found: Members, topicBytes: number): ClientMessage | undefined {
  const [type, topic, data] = found;
  const isNull = data !== undefined && bytes[data.start] === 0x6e;
  const parsed = ClientMessage.safeParse({
    type: stringAt(bytes, type),
    topic: stringAt(bytes, topic),
    data: data === undefined || isNull ? undefined : bytes.subarray(data.start, data.end),
  });
  if (!parsed.success) return undefined;
  const message = parsed.data;
  return 'topic' in message && !fits(message.topic, topicBytes) ? undefined : message;
}

/** Most names are short: three bytes hold any UTF-16 unit. */
const fits = (topic: string, bytes: number): boolean =>
  topic.length * 3 <= bytes || Buffer.byteLength(topic) <= bytes;
