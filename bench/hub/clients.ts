import net from 'node:net';
import { clientFrame, dataOf, dialectOf, handshake, type Kind } from './wire.js';

// Many light clients in one process: raw sockets that only count what arrives.

interface Client {
  socket: net.Socket;
  bytes: number;
  isFrozen: boolean;
}

interface Group {
  readonly kind: Kind;
  readonly clients: Client[];
  readonly publisher: Client;
  bytes: number;
  /** What a burst brings; 0 until it is known. A group sees bursts of one kind only. */
  each: number;
  /** Called for each client when it got something. */
  onBytes: ((client: Client) => void) | undefined;
  closed: number;
}

const groups = new Map<string, Group>();

async function open(kind: Kind, port: number, group: Group | undefined): Promise<Client> {
  const dialect = dialectOf(kind);
  return new Promise((resolve, reject) => {
    let seen = '';
    let isOpen = false;
    const client: Client = { socket: new net.Socket(), bytes: 0, isFrozen: false };
    const opening = (count: number) => {
      seen += shared.toString('latin1', 0, count);
      if (!isOpen && seen.includes('\r\n\r\n')) {
        isOpen = true;
        if (!seen.startsWith('HTTP/1.1 101')) return reject(new Error(seen));
        for (const text of dialect.hello) client.socket.write(clientFrame(text));
      }
      if (isOpen && (dialect.ready === undefined || seen.includes(dialect.ready))) {
        onread = counting;
        resolve(client);
      }
    };
    const payloadOf = payloadCounter();
    const counting = (count: number) => {
      const payload = payloadOf(count);
      client.bytes += payload;
      if (group) {
        group.bytes += payload;
        group.onBytes?.(client);
      }
    };
    let onread: (count: number) => void = opening;
    client.socket = net.connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (count) => {
          onread(count);
          return !client.isFrozen;
        },
      },
    });
    client.socket.on('error', reject);
    client.socket.on('close', () => {
      if (group) group.closed++;
    });
    client.socket.write(handshake(dialect.path, port));
  });
}

/** Nobody keeps the bytes, so all sockets read into the same place. */
const shared = Buffer.allocUnsafe(256 * 1024);

/** Bytes of data in what was read, without frame headers (NATS puts several messages in a frame) and control frames. */
function payloadCounter(): (count: number) => number {
  const header = Buffer.alloc(10);
  let have = 0;
  let left = 0;
  let isData = true;
  return (count) => {
    let payload = 0;
    for (let at = 0; at < count; ) {
      if (left > 0) {
        const step = Math.min(left, count - at);
        if (isData) payload += step;
        left -= step;
        at += step;
        continue;
      }
      header[have++] = shared[at++] ?? 0;
      const short = (header[1] ?? 0) & 127;
      if (have < 2 || have < (short === 126 ? 4 : short === 127 ? 10 : 2)) continue;
      left =
        short === 126 ? header.readUInt16BE(2) : short === 127 ? Number(header.readBigUInt64BE(2)) : short;
      isData = ((header[0] ?? 0) & 8) === 0;
      have = 0;
    }
    return payload;
  };
}

async function connect({ name, kind, port, count, topics, perClient }: Connect): Promise<number> {
  const dialect = dialectOf(kind);
  const group: Group = {
    kind,
    clients: [],
    publisher: await open(kind, port, undefined),
    bytes: 0,
    each: 0,
    onBytes: undefined,
    closed: 0,
  };
  for (let done = 0; done < count; done += 100) {
    const some = Math.min(100, count - done);
    group.clients.push(...(await Promise.all(Array.from({ length: some }, () => open(kind, port, group)))));
  }
  group.clients.forEach(({ socket }, index) => {
    // Everybody all topics, or each his own one.
    const own = perClient ? topics : [topics[index % topics.length] ?? ''];
    socket.write(Buffer.concat(own.map((topic, id) => clientFrame(dialect.subscribe(topic, id)))));
  });
  groups.set(name, group);
  await still(group);
  return group.clients.length;
}

/** Until nothing arrives any more. */
async function still(group: Group): Promise<void> {
  for (let before = -1; before !== group.bytes; ) {
    before = group.bytes;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

function burst(group: Group, topics: readonly string[], bytes: number): Buffer {
  const dialect = dialectOf(group.kind);
  const data = dataOf(bytes);
  return Buffer.concat(topics.map((topic) => clientFrame(dialect.publish(topic, data))));
}

/** How many bytes one burst brings to all clients: found by trying. */
async function expected(group: Group, frames: Buffer): Promise<number> {
  if (group.each === 0) {
    const before = group.bytes;
    group.publisher.socket.write(frames);
    await still(group);
    group.each = group.bytes - before;
  }
  return group.each;
}

/** Burst after burst, the next when everybody has the last; resolves the number of bursts. */
async function run({ name, topics, bytes, ms, inFlight }: Run): Promise<{ bursts: number; lost: number }> {
  const group = groupOf(name);
  const frames = burst(group, topics, bytes);
  const each = await expected(group, frames);
  const start = group.bytes;
  const until = performance.now() + ms;
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    const watchdog = setInterval(() => {
      if (performance.now() > until + 20_000) reject(new Error(`${name}: something was lost`));
    }, 1000);
    group.onBytes = () => {
      const got = group.bytes - start;
      const isOver = performance.now() > until;
      while (!isOver && sent - Math.floor(got / each) < inFlight) {
        sent++;
        group.publisher.socket.write(frames);
      }
      if (isOver && got >= sent * each) {
        clearInterval(watchdog);
        group.onBytes = undefined;
        resolve();
      }
    };
    sent++;
    group.publisher.socket.write(frames);
  });
  return { bursts: sent, lost: sent * each - (group.bytes - start) };
}

/** Ten bursts a second; resolves the delays of all deliveries, in ms: median and 99th percentile. */
async function latency({ name, topics, bytes, count }: Latency): Promise<{ median: number; p99: number }> {
  const group = groupOf(name);
  const frames = burst(group, topics, bytes);
  await expected(group, frames);
  const delays: number[] = [];
  let sentAt = 0;
  group.onBytes = () => delays.push(performance.now() - sentAt);
  for (let i = 0; i < count; i++) {
    sentAt = performance.now();
    group.publisher.socket.write(frames);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  group.onBytes = undefined;
  delays.sort((a, b) => a - b);
  return { median: delays[delays.length >> 1] ?? 0, p99: delays[Math.floor(delays.length * 0.99)] ?? 0 };
}

/** Stops some clients reading; the others go on. */
function freeze({ name, count }: { name: string; count: number }): number {
  const group = groupOf(name);
  for (const client of group.clients.slice(0, count)) {
    client.isFrozen = true;
    client.socket.pause();
  }
  return count;
}

async function received({ name }: { name: string }): Promise<{ healthy: number[]; closed: number }> {
  const group = groupOf(name);
  await still(group);
  const healthy = group.clients.filter(({ isFrozen }) => !isFrozen).map(({ bytes }) => bytes);
  return { healthy: [...new Set(healthy)], closed: group.closed };
}

function publish({ name, topics, bytes }: { name: string; topics: string[]; bytes: number }): number {
  const group = groupOf(name);
  group.publisher.socket.write(burst(group, topics, bytes));
  return 0;
}

/** Opens sockets, 100 at a time, and hangs up on each when it is open. */
async function come({ kind, port, count }: Come): Promise<number> {
  let left = count;
  const comeAgain = async () => {
    while (left-- > 0) (await open(kind, port, undefined)).socket.destroy();
  };
  await Promise.all(Array.from({ length: 100 }, comeAgain));
  return count;
}

function disconnect({ name }: { name: string }): number {
  const group = groupOf(name);
  for (const { socket } of [...group.clients, group.publisher]) socket.destroy();
  groups.delete(name);
  return 0;
}

function groupOf(name: string): Group {
  const group = groups.get(name);
  if (!group) throw new Error(`No group ${name}`);
  return group;
}

interface Connect {
  name: string;
  kind: Kind;
  port: number;
  count: number;
  topics: string[];
  perClient: boolean;
}
interface Come {
  kind: Kind;
  port: number;
  count: number;
}
interface Run {
  name: string;
  topics: string[];
  bytes: number;
  ms: number;
  inFlight: number;
}
interface Latency {
  name: string;
  topics: string[];
  bytes: number;
  count: number;
}

export interface Orders {
  connect: { order: Connect; answer: number };
  come: { order: Come; answer: number };
  run: { order: Run; answer: { bursts: number; lost: number } };
  latency: { order: Latency; answer: { median: number; p99: number } };
  freeze: { order: { name: string; count: number }; answer: number };
  received: { order: { name: string }; answer: { healthy: number[]; closed: number } };
  publish: { order: { name: string; topics: string[]; bytes: number }; answer: number };
  disconnect: { order: { name: string }; answer: number };
}

const orders: { [K in keyof Orders]: (order: Orders[K]['order']) => unknown } = {
  connect,
  come,
  run,
  latency,
  freeze,
  received,
  publish,
  disconnect,
};

process.on('message', async ({ what, order }: { what: keyof Orders; order: never }) => {
  try {
    process.send?.({ answer: await orders[what](order) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
