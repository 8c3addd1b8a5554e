import type http from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { defaultLimits } from '../../lib/pubsub/limits.js';
import { parseMessage } from '../../lib/pubsub/messages.js';
import { writePastStreams } from './past-streams.js';

// The bare servers that the hub is measured against. None parses, checks or counts anything, but one.

/**
 * `checked` finds out besides that what comes is a message of the protocol, and does nothing about it: what is left of the limit for
 * anybody who passes on nothing else. `handles` writes past Node's streams, to what is below them: no JavaScript writes for less.
 */
type Way = 'limit' | 'checked' | 'handles' | 'unjoined' | 'stringify';

interface Subscriber {
  readonly ws: WebSocket;
  readonly write: (bytes: Buffer) => unknown;
  key: string;
  frames: Buffer[];
}

export function bareServer(server: http.Server, way: Way): void {
  const wss = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
  const topics = new Map<string, Set<Subscriber>>();
  const publish = publishing[way]();
  wss.on('connection', (ws, request) => {
    const { socket } = request;
    const write = way === 'handles' ? writePastStreams(socket) : (bytes: Buffer) => socket.write(bytes);
    const subscriber: Subscriber = { ws, write, key: '', frames: [] };
    ws.on('message', (data: Buffer) => {
      if (way === 'checked' && !parseMessage(data, defaultLimits)) return;
      // {"type":"publish","topic":"... or {"type":"subscribe","topic":"...
      const isPublish = data[9] === 0x70;
      const start = isPublish ? 27 : 29;
      const topic = data.toString('latin1', start, data.indexOf(0x22, start));
      const audience = topics.get(topic) ?? new Set();
      if (isPublish) publish(data, start, topic, audience);
      else topics.set(topic, audience.add(subscriber));
    });
  });
}

const publishing: Readonly<Record<Way, () => Publish>> = {
  limit: joining,
  checked: joining,
  handles: joining,
  unjoined: () => writing,
  stringify: () => stringifying,
};

type Publish = (message: Buffer, start: number, topic: string, audience: Set<Subscriber>) => void;

/** The limit: one frame a publish, and one write a socket for all that a turn published. */
function joining(): Publish {
  let dirty: Subscriber[] = [];
  let id = 0;
  const flush = () => {
    const joined = new Map<string, Buffer>();
    for (const subscriber of dirty) {
      const bytes = joined.get(subscriber.key) ?? Buffer.concat(subscriber.frames);
      joined.set(subscriber.key, bytes);
      subscriber.write(bytes);
      subscriber.key = '';
      subscriber.frames = [];
    }
    dirty = [];
    id = 0;
  };
  return (message, start, _topic, audience) => {
    const frame = frameOf(message, start);
    const key = String.fromCharCode(id++);
    for (const subscriber of audience) {
      if (subscriber.frames.length === 0) {
        if (dirty.length === 0) setImmediate(flush);
        dirty.push(subscriber);
      }
      subscriber.key += key;
      subscriber.frames.push(frame);
    }
  };
}

const writing: Publish = (message, start, _topic, audience) => {
  const frame = frameOf(message, start);
  for (const subscriber of audience) subscriber.write(frame);
};

/** What most people write. */
const stringifying: Publish = (message, _start, topic, audience) => {
  const { data } = JSON.parse(message.toString());
  for (const { ws } of audience) ws.send(JSON.stringify({ type: 'data', topic, data }));
};

const before = Buffer.from('{"type":"data","topic":"');

function frameOf(message: Buffer, start: number): Buffer {
  const length = before.length + message.length - start;
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = 0x81;
  frame[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header === 4) frame.writeUInt16BE(length, 2);
  else if (header === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  before.copy(frame, header);
  message.copy(frame, header + before.length, start);
  return frame;
}
