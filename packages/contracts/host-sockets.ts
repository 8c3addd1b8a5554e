import assert from 'node:assert/strict';
import { createClient } from 'headgate/client';
import type { HostTest } from './host-test.js';
import { exchange, hostAnswer, type Received, refusedUpgrade, until } from './host-wire.js';

const ofHost = (answer: Received, what: string) => {
  assert.deepEqual([answer.status, answer.headers['x-host'], answer.text], [404, 'yes', hostAnswer], what);
};

/** The WebSocket, and the upgrades that are not ours. */
export function socketContract(test: HostTest): void {
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
