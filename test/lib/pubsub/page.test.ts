import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { defaultLimits } from '../../../lib/pubsub/limits.js';
import { topics } from '../../../lib/topics.js';
import { newGateway } from '../../helpers/gateway.js';
import { snippetsOf } from '../../helpers/snippets.js';

// docs/pubsub.md: its dialogue on a living gateway, its client, and its numbers.

const path = join(import.meta.dirname, '../../../../docs/pubsub.md');
const page = readFileSync(path, 'utf8');
const snippets = snippetsOf(path);

interface Conversation {
  send(text: string): void;
  next(): Promise<unknown>;
}

async function converse(t: Test, url: string): Promise<Conversation> {
  const socket = new WebSocket(url);
  const received: unknown[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    received.push(JSON.parse(data.toString()));
    wake();
  });
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  return {
    send: (text) => socket.send(text),
    async next() {
      while (received.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return received.shift();
    },
  };
}

t.test('each message of the page gets the answer that it shows', async (t) => {
  const { baseUrl } = await newGateway(t);
  const url = `${baseUrl.replace('http', 'ws')}/pubsub`;
  const plain = await converse(t, url);
  const told = await converse(t, `${url}?errors=true`);
  let heard = 0;
  for (const { attributes, text } of snippets) {
    const [conversation, act] = 'errors' in attributes ? [told, attributes['errors']] : [plain, undefined];
    if (act === 'send' || 'send' in attributes) conversation.send(text.trim());
    if (act === 'receive' || 'receive' in attributes) {
      t.strictSame(await conversation.next(), JSON.parse(text), text);
      heard++;
    }
  }
  t.equal(heard, 4);
});

const Module = z.object({
  listen: z.custom<
    (url: string, topics: readonly string[], onData: (topic: string, data: unknown) => void) => () => void
  >((listen) => typeof listen === 'function'),
});

t.test('the client of the page hears, and comes back after a restart', async (t) => {
  const { baseUrl, client } = await newGateway(t);
  // Node 20 has none of its own.
  if (!('WebSocket' in globalThis)) Object.assign(globalThis, { WebSocket });
  const text = snippets.find(({ attributes }) => attributes['file'] === 'live.mjs')?.text ?? '';
  t.ok(text.split('\n').length < 26, 'it is short');
  const { listen } = Module.parse(await import(`data:text/javascript,${encodeURIComponent(text)}`));
  const heard: unknown[] = [];
  let wake = () => {};
  const stop = listen(`${baseUrl.replace('http', 'ws')}/pubsub`, ['weather'], (topic, data) => {
    heard.push([topic, data]);
    wake();
  });
  t.teardown(stop);
  const listening = () =>
    new Promise<void>((resolve) => {
      const end = client.countSubscribers('weather', (count) => {
        if (count === 0) return;
        resolve();
        queueMicrotask(() => end());
      });
    });
  const hears = async (data: unknown) => {
    const next = new Promise<void>((resolve) => {
      wake = resolve;
    });
    client.publish('weather', data);
    await next;
    t.strictSame(heard.at(-1), ['weather', data]);
  };
  await listening();
  await hears({ sunny: true });
  const { jvmName } = await client.getAbout();
  await client.restartGateway();
  while ((await client.getAbout()).jvmName === jvmName);
  await listening();
  await hears({ sunny: false });
});

t.test('every topic of the gateway is on the page', async (t) => {
  const names = Object.values(topics).flatMap((room) => Object.values(room).map(({ name }) => name));
  t.ok(names.length > 5);
  for (const name of names) {
    const short = name.replace(/^applications\.\{appid\}(?=\.)/, '');
    t.ok(page.includes(`\`${name}\``) || page.includes(`\`${short}\``), name);
  }
});

t.test('the numbers are those of the code', async (t) => {
  const mebi = 1024 ** 2;
  const { highWaterBytes, hardLimitBytes, messageBytes } = defaultLimits;
  for (const words of [
    `more than ${highWaterBytes / mebi} MiB unsent`,
    `more than ${hardLimitBytes / mebi} MiB waiting, or nothing taken for ${defaultLimits.stallMs / 1000} s`,
    `more than ${defaultLimits.messagesPerSecond} messages a second after a burst of ${defaultLimits.messageBurst.toLocaleString('en')}`,
    `the ${defaultLimits.subscriptions + 1}st subscription`,
    `a message above ${messageBytes / mebi} MiB; of more than ${defaultLimits.fragments} fragments`,
    `nothing heard for ${defaultLimits.pingMs / 1000} s | pinged every ${defaultLimits.pingMs / 1000} s; ended when nothing is heard for ${defaultLimits.pongMs / 60_000} min`,
    `longer than ${defaultLimits.topicBytes} bytes, nested deeper than ${defaultLimits.depth} levels`,
    `the user has ${defaultLimits.connectionsPerUser} sockets`,
    `the gateway has ${defaultLimits.connections.toLocaleString('en')} sockets`,
  ])
    t.ok(page.includes(words), words);
});
