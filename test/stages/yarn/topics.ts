import type { Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import type { Rows } from './rows.js';
import { until } from './session.js';

/** Every topic of the gateway about a living application tells what its REST twin does, and goes on telling. */
export async function topicsTell(t: Test, client: Client, appid: string, rows: Rows): Promise<void> {
  const params = { appid };
  const refused: string[] = [];
  const stops: (() => void)[] = [];
  function listen<Name extends string>(name: Name) {
    const heard: Parameters<Parameters<typeof client.subscribe<Name>>[1]>[0][] = [];
    const onError = ({ code }: { readonly code: string }) => refused.push(`${name}: ${code}`);
    stops.push(client.subscribe(name, (data) => heard.push(data), onError));
    return heard;
  }
  const events = listen(`applications.${appid}.events`);
  const containers = listen(`applications.${appid}.containers`);
  const physical = listen(`applications.${appid}.physicalOperators`);
  const logical = listen(`applications.${appid}.logicalOperators`);
  const running = listen(`applications.${appid}`);
  const list = listen('applications');
  const metrics = listen('cluster.metrics');
  const different = (heard: readonly unknown[]) => new Set(heard.map((data) => JSON.stringify(data))).size;
  const snapshots = [containers, physical, logical, running, list, metrics];
  // Of one socket, in its order: when these have come, events are listened to as well.
  await until(
    async () => snapshots.map(different),
    (sizes) => sizes.every((size) => size >= 2),
  );

  // Each change is one event, heard once, and the first one already.
  for (const tuplesBlast of [6, 5]) {
    const before = events.length;
    await client.setOperatorProperties({ params: { appid, opName: 'rand' }, body: { tuplesBlast } });
    const [event] = await until(
      async () => events.slice(before),
      ({ length }) => length > 0,
    );
    const data = { operatorName: 'rand', propertyName: 'tuplesBlast', propertyValue: String(tuplesBlast) };
    t.match(event, { type: 'SetOperatorProperty', data });
    const { events: kept } = await until(
      () => client.listEvents({ params }),
      (answer) => answer.events.some(({ id }) => id === event?.id),
    );
    t.match(kept.at(-1), event ?? {}, 'the same that is kept');
  }
  t.equal(events.filter(({ type }) => type === 'SetOperatorProperty').length, 2);
  for (const stop of stops) stop();
  t.strictSame(refused, []);

  const { apps } = await client.listApplications();
  const told = list.at(-1)?.apps ?? [];
  t.match(told, [
    { id: appid, name: 'Random', user: 'root', state: 'RUNNING', startedTime: apps[0]?.startedTime },
  ]);
  t.match(running.at(-1), { id: appid, state: 'RUNNING', numOperators: 3, plannedContainers: 3 });
  t.ok(
    BigInt(running.at(-1)?.currentWindowId ?? 0) > BigInt(running[0]?.currentWindowId ?? 0),
    'windows go on',
  );

  const ids = (all: readonly { readonly id: string }[] = []) => all.map(({ id }) => id).sort();
  t.strictSame(ids(containers.at(-1)?.containers), ids((await client.listContainers({ params })).containers));
  const { operators } = await client.listPhysicalOperators({ params });
  const plan = physical.at(-1)?.operators ?? [];
  t.strictSame(ids(plan), ids(operators));
  const emitted = (snapshot: (typeof physical)[number] | undefined) =>
    snapshot?.operators.find(({ name }) => name === 'rand')?.totalTuplesEmitted ?? 0;
  t.ok(emitted(physical.at(-1)) > emitted(physical[0]), 'totals grow');
  t.match(
    [...(logical.at(-1)?.operators ?? [])].sort((a, b) => a.name.localeCompare(b.name)),
    ['console', 'hub', 'rand'].map((name) => ({
      name,
      status: { ACTIVE: 1 },
      partitions: [operators.find((one) => one.name === name)?.id],
    })),
  );
  t.match(metrics.at(-1), { numAppsRunning: 1, numOperators: 3, numContainers: 4 });

  const names = ['applications', 'applications.{}', 'cluster.metrics'].concat(
    ['containers', 'physicalOperators', 'logicalOperators', 'events'].map(
      (part) => `applications.{}.${part}`,
    ),
  );
  for (const name of names) rows.heard(name);
}
