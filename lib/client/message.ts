import { jsonOf } from './error.js';

/** What the gateway says on the WebSocket: data of a topic, or why one is refused. */
export interface LiveMessage {
  readonly type: string;
  readonly topic: string;
  readonly data: unknown;
  readonly code: string;
  readonly message: string;
}

/** `undefined` for what is no message. */
export function messageOf(text: string): LiveMessage | undefined {
  const sent = jsonOf(text);
  if (typeof sent !== 'object' || sent === null) return undefined;
  const { type, topic = '', data, code = '', message = '' }: Readonly<Record<string, unknown>> = { ...sent };
  if (typeof type !== 'string' || typeof topic !== 'string') return undefined;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { type, topic, data, code, message };
}

/** `data` of a message, as the text that came. The gateway sends it last; of another writer's message, written anew. */
export function dataTextOf(text: string, { topic, data }: LiveMessage): string {
  const front = `{"type":"data","topic":${JSON.stringify(topic)},"data":`;
  return text.startsWith(front) && text.endsWith('}') ? text.slice(front.length, -1) : JSON.stringify(data);
}
