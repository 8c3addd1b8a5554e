import assert from 'node:assert/strict';
import { createClient } from 'headgate/client';
import { openSocket } from './host-frames.js';
import type { HostTest } from './host-test.js';
import { exchange, hostAnswer, type Received, refusedUpgrade, until } from './host-wire.js';

const ofHost = (answer: Received, what: string) => {
  assert.deepEqual([answer.status, answer.headers['x-host'], answer.text], [404, 'yes', hostAnswer], what);
};

/** The WebSocket, and the upgrades that are not ours. */
export function socketContract(test: HostTest): void {
  messageTests(test);
  closeTests(test);
  upgradeTests(test);
}

function messageTests(test: HostTest): void {
  test('what one client publishes the others receive, and each knows how many listen', async ({
    baseUrl,
  }) => {
    const [one, two] = [createClient({ baseUrl, token: 'probe' }), createClient({ baseUrl, token: 'probe' })];
    try {
      const received: unknown[] = [];
      const counts: number[] = [];
      one.subscribe('probe.topic', (data) => received.push(data));
      two.countSubscribers('probe.topic', (count) => counts.push(count));
      await until('the first listens', () => counts.at(-1) === 1);
      for (const data of [{ text: 'grüße 👋' }, [1, 2], 'x'.repeat(100_000)])
        two.publish('probe.topic', data);
      await until('all three came', () => received.length === 3);
      assert.deepEqual(received, [{ text: 'grüße 👋' }, [1, 2], 'x'.repeat(100_000)]);
      one.close();
      await until('the first is gone', () => counts.at(-1) === 0);
    } finally {
      one.close();
      two.close();
    }
  });

  test('messages of one moment come one by one, in their order', async ({ baseUrl }) => {
    const socket = await openSocket(baseUrl, `${pathOf(baseUrl)}/pubsub`, { authorization: 'Bearer probe' });
    try {
      socket.say('{"type":"subscribe","topic":"probe.topic"}');
      for (let n = 0; n < 3; n++) socket.say(`{"type":"publish","topic":"probe.topic","data":${n}}`);
      await until('all came', () => socket.frames.length === 3);
      assert.deepEqual(
        socket.frames.map(({ opcode, payload }) => [opcode, payload.toString()]),
        [0, 1, 2].map((n) => [1, `{"type":"data","topic":"probe.topic","data":${n}}`]),
      );
    } finally {
      socket.destroy();
    }
  });
}

/** How a socket ends that the gateway ends. */
function closeTests(test: HostTest): void {
  test('a gateway that closes says so to its sockets', async ({ baseUrl, probe }) => {
    const socket = await openSocket(baseUrl, `${pathOf(baseUrl)}/pubsub`, { authorization: 'Bearer probe' });
    try {
      await probe.gateway.close();
      await until('it was told', () => socket.closeCode() !== undefined);
      assert.equal(socket.closeCode(), 1001);
    } finally {
      socket.destroy();
    }
  });

  test('a client that takes nothing is closed, and the others get everything', async ({ baseUrl }) => {
    const frozen = await openSocket(baseUrl, `${pathOf(baseUrl)}/pubsub`, { authorization: 'Bearer probe' });
    const [one, two] = [createClient({ baseUrl, token: 'probe' }), createClient({ baseUrl, token: 'probe' })];
    try {
      let counted = 0;
      let received = 0;
      one.countSubscribers('probe.topic', (count) => {
        counted = count;
      });
      one.subscribe('probe.topic', () => received++);
      frozen.say('{"type":"subscribe","topic":"probe.topic"}');
      await until('both listen', () => counted === 2);
      frozen.pause();
      // More than the gateway keeps for a socket, and any operating system beside it, is a hundred times this.
      for (let sent = 1; counted === 2; sent++) {
        assert.ok(sent < 100, 'the frozen one listens no more');
        two.publish('probe.topic', 'x'.repeat(1_000_000));
        await until(`message ${sent} came`, () => received === sent);
      }
      frozen.resume();
      await until('it is told why', () => frozen.closeCode() !== undefined);
      assert.equal(frozen.closeCode(), 1013);
    } finally {
      frozen.destroy();
      one.close();
      two.close();
    }
  });
}

function upgradeTests(test: HostTest): void {
  test('upgrades of nobody, and from pages of another origin, are refused as requests are', async ({
    baseUrl,
  }) => {
    const target = `${pathOf(baseUrl)}/pubsub`;
    const nobody = await refusedUpgrade(baseUrl, target);
    assert.deepEqual([nobody.status, nobody.json()['code']], [401, 'NOT_LOGGED_IN']);
    const authorization = 'Bearer probe';
    const foreign = await refusedUpgrade(baseUrl, target, { authorization, origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.json()['code']], [403, 'FOREIGN_ORIGIN']);
  });

  test('upgrades of other paths are left to the host', async ({ baseUrl }) => {
    const prefix = pathOf(baseUrl);
    const authorization = 'Bearer probe';
    for (const path of ['/other', '/pubsub/', '/Pubsub', '/pubsub/deeper', '/ws/v2/probe/names/a']) {
      ofHost(await refusedUpgrade(baseUrl, `${prefix}${path}`, { authorization }), path);
    }
    if (prefix === '') return;
    ofHost(await refusedUpgrade(baseUrl, '/pubsub', { authorization }), 'without the prefix');
    ofHost(await refusedUpgrade(baseUrl, `${prefix}x/pubsub`, { authorization }), 'beside the prefix');
  });

  test('a plain request for the path of the WebSocket is left to the host', async ({ baseUrl }) => {
    ofHost(await exchange(baseUrl, { path: '/pubsub' }), 'GET');
  });
}

const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');
