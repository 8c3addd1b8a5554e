import { findMembers, JsonScan, type Members, stringAt } from '../formats/json-scan.js';
import type { HubLimits } from './limits.js';

const aboutTopic = [
  'subscribe',
  'unsubscribe',
  'subscribeNumSubscribers',
  'unsubscribeNumSubscribers',
] as const;
type AboutTopic = (typeof aboutTopic)[number];

/** What a client may say (`docs/pubsub.md`). `data` is JSON text, the bytes as they were sent. */
export type ClientMessage =
  | { readonly type: 'publish'; readonly topic: string; readonly data: Buffer }
  | { readonly type: AboutTopic; readonly topic: string }
  | { readonly type: 'getLatestTopics' };

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

/** By hand, without a schema: it is done for each message, and a schema took a fifth of what a message costs. */
function messageOf(
  bytes: Buffer,
  [typeAt, topicAt, dataAt]: Members,
  topicBytes: number,
): ClientMessage | undefined {
  const type = stringAt(bytes, typeAt);
  if (type === 'getLatestTopics') return { type };
  const topic = stringAt(bytes, topicAt);
  if (topic === undefined || topic === '' || !fits(topic, topicBytes)) return undefined;
  if (type === 'publish') {
    const isMissing = dataAt === undefined || bytes[dataAt.start] === letterN;
    return isMissing ? undefined : { type, topic, data: bytes.subarray(dataAt.start, dataAt.end) };
  }
  const known = aboutTopic.find((name) => name === type);
  return known && { type: known, topic };
}

/** Of `null`. */
const letterN = 0x6e;

/** Most names are short: three bytes hold any UTF-16 unit. */
const fits = (topic: string, bytes: number): boolean =>
  topic.length * 3 <= bytes || Buffer.byteLength(topic) <= bytes;
