import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Forwarder, ForwardTarget } from 'headgate/driver-kit';
import type { ClusterTest } from './cluster-test.js';
import { ended } from './cluster-waiting.js';
import { offered } from './skipping.js';

/** Where the proxies send their calls. */
export function clusterForwarding(test: ClusterTest): void {
  test('forwarder: the server of the cluster lets the gateway in, and is looked for anew', async ({
    driver,
  }) => {
    await leadsThere(offered('resourceManager.forwarder', driver.resourceManager.forwarder));
  });

  test('forwarder: servers of masters let the gateway in, as long as the application runs', async ({
    driver,
    launch,
    timeoutMillis,
  }) => {
    const { id, master } = await launch();
    await leadsThere(offered('master.forwarder', master.forwarder));

    await driver.resourceManager.kill(id);
    await ended(driver, id, timeoutMillis);
    const afterwards = (await driver.master(id)).forwarder;
    assert.ok(afterwards);
    await assert.rejects(afterwards.target(), { code: 'APPLICATION_ENDED' });
  });
}

async function leadsThere(forwarder: Forwarder): Promise<void> {
  const first = await forwarder.target();
  await isLetIn(first);
  first.failed();
  const second = await forwarder.target();
  assert.equal(second.base.pathname, first.base.pathname);
  await isLetIn(second);
}

/** What it answers to a path that nobody knows is its own business. */
async function isLetIn({ base, headers, agent }: ForwardTarget): Promise<void> {
  assert.match(base.protocol, /^https?:$/);
  assert.ok(base.pathname.endsWith('/'), `${base.pathname} ends with a slash`);
  const own = await headers({ method: 'GET', url: new URL(base) });
  for (const [name, value] of Object.entries(own)) assert.equal(typeof value, 'string', name);
  const send = base.protocol === 'https:' ? requestHttps : requestHttp;
  const req = send(base, { headers: own, agent, timeout: 10_000 });
  req.once('timeout', () => req.destroy(new Error(`${base} does not answer`)));
  req.end();
  const [res] = await once(req, 'response');
  res.resume();
  assert.ok(![401, 403, 407].includes(res.statusCode), `status ${res.statusCode}`);
}
