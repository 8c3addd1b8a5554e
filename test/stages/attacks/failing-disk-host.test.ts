import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { create } from 'tar';
import { type Client, ClientError } from '../../../lib/client.js';
import type { HostLaunch } from '../../../lib/index.js';
import { signal } from '../../../packages/containers/process/identity.js';
import { readRun } from '../../../packages/containers/process/record.js';
import { op, stream } from '../../helpers/local-cluster.js';
import { until } from '../../helpers/waiting.js';
import { failingDisk } from './disk/failing-disk.js';
import { type FailingHost, startFailingHost } from './disk/failing-host.js';
import { smallDisk } from './disk/small-disk.js';

// A whole host on a disk that fails below it, its containers and the supervisors of its services, and that works again
// before the host is killed or closed, or only afterwards: applications go on from what was saved without a line lost or
// doubled, and what was acknowledged of properties, launches and services is so.

/** Of each attack; its last round ends later. */
const timeoutMillis = 20_000;
const failingMillis = 2000;

const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(Math.random() * from.length)] ?? from[0];
const versions = ['a', 'b'] as const;
type Version = (typeof versions)[number];

const numbers = (name: string): HostLaunch => ({
  user: 'ada',
  name,
  application: {
    attributes: { STREAMING_WINDOW_SIZE_MILLIS: 50, CHECKPOINT_WINDOW_COUNT: 4 },
    operators: [
      op('source', 'Sequence', { total: -1, perSecond: 1000 }),
      {
        name: 'files',
        class: 'headgate.io.FileOutput',
        properties: { directory: name, rollBytes: 20_000, maxFiles: 1000 },
      },
    ],
    streams: [stream('source.out -> files.input')],
  },
});

/** What an answer that failed means: whether the change was made is not known, or it was not made. */
const mayBeMade = (error: unknown) => !(error instanceof ClientError) || error.status >= 500;

/** A value by what was acknowledged last, and by what may have been made since. */
function ledger<T>(first: T) {
  let certain = first;
  let possible: T[] = [];
  return {
    async change(value: T, make: () => Promise<unknown>): Promise<unknown> {
      try {
        await make();
        certain = value;
        possible = [];
        return undefined;
      } catch (error) {
        if (mayBeMade(error)) possible.push(value);
        return error;
      }
    },
    get values() {
      return [certain, ...possible];
    },
    /** It turned out so. */
    settle(value: T) {
      certain = value;
      possible = [];
    },
  };
}

/** Programs that say so when they are not whole: `bin/serve` knows each of its own files. */
async function archives(root: string): Promise<Record<Version, string>> {
  const urls = { a: '', b: '' };
  for (const version of versions) {
    const folder = join(root, `source-${version}`);
    await mkdir(join(folder, 'bin'), { recursive: true });
    await mkdir(join(folder, 'data'));
    for (let i = 0; i < 40; i++) await writeFile(join(folder, 'data', `${i}`), `${version}\n`.repeat(500));
    const whole = `test "$(cat data/* | sort | uniq -c | tr -d ' \\n')" = "20000${version}"`;
    const script = `${whole} || echo ${version} >> $SERVICE_DATA/torn; echo ${version} > $SERVICE_DATA/runs`;
    await writeFile(
      join(folder, 'bin', 'serve'),
      `#!/bin/sh\n${script}\ntrap 'exit 0' TERM; while true; do sleep 0.05; done\n`,
      { mode: 0o755 },
    );
    const file = join(root, `${version}.tgz`);
    await create({ file, gzip: true, cwd: folder }, ['bin', 'data']);
    urls[version] = pathToFileURL(file).href;
  }
  return urls;
}

const isAtRest = (service: { state: string; enabled: boolean }) =>
  service.state === 'FAILED' && !service.enabled;

/** All lines of the output in the order they were written. */
async function linesIn(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const name of (await readdir(folder)).sort()) texts.push(await readFile(join(folder, name), 'utf8'));
  return texts.join('').split('\n');
}

/** What an ended or running application tells of itself is readable, and recordings hold what passed. */
async function judgeHistory(client: Client, appid: string): Promise<string[]> {
  const wrong: string[] = [];
  const params = { appid };
  await client.getApplication({ params });
  await client.getLogicalPlan({ params });
  await client.listEvents({ params, query: { limit: 1000 } });
  // One that was killed soon has none.
  await client.listOperatorStats({ params: { appid, opName: 'source' } }).catch((error: unknown) => {
    if (!(error instanceof ClientError && error.status === 404)) throw error;
  });
  const { recordings } = await client.listApplicationRecordings({ params });
  for (const { id, operatorId: opid } of recordings) {
    let last: number | undefined;
    const batch = await client.getRecordedTuples({ params: { appid, opid, id } });
    for (const { tuples, skippedTuples } of batch.tuples) {
      if (skippedTuples !== undefined) last = undefined;
      for (const { data } of tuples) {
        const number = Number(data);
        if (last !== undefined && number !== last + 1)
          wrong.push(`recording ${id} of ${appid}: ${data} after ${last}`);
        last = number;
      }
      if (skippedTuples !== undefined) last = undefined;
    }
  }
  return wrong;
}

/** A supervisor ends its program when it is told so, whether there is a gateway or not. */
async function endPrograms(folder: string): Promise<void> {
  for (const home of await readdir(folder).catch(() => []))
    for (const name of await readdir(join(folder, home))) {
      const run = await readRun(join(folder, home, name));
      if (run) await signal(run.supervisor, 'SIGUSR2');
    }
}

interface Disk {
  /** Where the host keeps everything. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Resolves how. */
  fail(): Promise<string>;
  mend(): Promise<void>;
}

/** Calls fail below the programs. */
async function callsThatFail(root: string): Promise<Disk> {
  const folder = join(root, 'host');
  await mkdir(folder);
  const disk = await failingDisk(root, folder);
  return {
    folder,
    env: disk.env,
    mend: disk.mend,
    async fail() {
      const fault = [pick(['w', 's', 'ws', 'o', 'r', 'm', 'p', 'wsromp']), pick([1, 0.3, 0.05])] as const;
      const error = pick<'ENOSPC' | 'EIO'>(['ENOSPC', 'EIO']);
      await disk.fail(...fault, error);
      return `${fault.join(' ')} ${error}`;
    },
  };
}

/** A real one that is filled and freed. */
async function diskThatIsFull(owner: { teardown(end: () => Promise<void>): void }): Promise<Disk | string> {
  const disk = await smallDisk(64 * 1024 ** 2);
  if (typeof disk === 'string') return disk;
  owner.teardown(() => disk.unmount());
  const folder = join(disk.folder, 'host');
  await mkdir(folder);
  return {
    folder,
    env: {},
    mend: disk.free,
    async fail() {
      const spare = Math.round(Math.random() * 100_000);
      await disk.fill(spare);
      return `${spare} bytes left`;
    },
  };
}

const newRoot = () => mkdtemp(join(tmpdir(), 'headgate-failing-host-'));

t.test('what a host acknowledged is there, whatever failed below it, and however', async (t) => {
  const root = await newRoot();
  await attack(t, root, await callsThatFail(root));
});

t.test('what a host acknowledged is there, whenever its disk was full', async (t) => {
  const disk = await diskThatIsFull(t);
  if (typeof disk === 'string') t.comment(disk);
  else await attack(t, await newRoot(), disk);
});

async function attack(t: Test, root: string, disk: Disk): Promise<void> {
  const { folder } = disk;
  const urls = await archives(root);
  const files = join(folder, 'engine', 'files');
  const began = performance.now();
  const told = new Map<string, number>();
  const note = (what: string, error: unknown) => {
    const key = error === undefined ? what : `${what} refused`;
    told.set(key, (told.get(key) ?? 0) + 1);
  };

  let host: FailingHost | undefined;
  t.teardown(async () => {
    await host?.end('killed');
    await endPrograms(join(folder, 'programs'));
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const living = () => {
    if (!host) throw new Error('There is no host');
    return host;
  };
  const launched = new Set<string>();
  const property = ledger<unknown>(undefined);
  const service = ledger<Version | undefined>(undefined);
  const enabled = ledger(true);
  const params = { name: 'checked' };
  const definition = (version: Version) =>
    ({ type: 'container', srcUrl: urls[version], container: { run: 'bin/serve' } }) as const;
  let main: string | undefined;
  let rounds = 0;

  async function lastingApplication(): Promise<string> {
    const { client } = living();
    const before = main;
    main =
      before === undefined
        ? await living().launch(numbers('main'))
        : (await client.restartApplication({ params: { appid: before } })).appId;
    const appid = main;
    launched.add(appid);
    await until(
      () => client.getApplication({ params: { appid } }),
      ({ state }) => state === 'RUNNING',
    );
    // Without a saved state the next one would begin anew, and rightly so.
    const record = join(folder, 'engine', 'apps', appid, 'application.json');
    await until(
      () => readFile(record, 'utf8'),
      (text) => /"files\/0":"/.test(text),
    );
    return appid;
  }

  /** A definition says which program it is and whether it is enabled: one is acknowledged with the other. */
  const define = (isEnabled: boolean, version: Version, work: () => Promise<unknown>) =>
    enabled.change(isEnabled, async () => {
      const error = await service.change(version, work);
      if (error !== undefined) throw error;
    });

  async function changeService(step: number): Promise<void> {
    const { client } = living();
    const version = versions[step % 2] ?? 'a';
    if (step % 5 === 4) {
      note('delete', await service.change(undefined, () => client.deleteService({ params })));
      return;
    }
    const isThere = await client.getService({ params }).catch(() => undefined);
    if (!isThere) {
      note(
        'put',
        await define(true, version, () => client.putService({ params, body: definition(version) })),
      );
      return;
    }
    note('stop', await enabled.change(false, () => client.stopService({ params })));
    const body = { ...definition(version), enabled: false };
    note('change', await define(false, version, () => client.changeService({ params, body })));
    note('start', await enabled.change(true, () => client.startService({ params })));
  }

  async function changeApplication(appid: string, step: number): Promise<void> {
    const { client } = living();
    const value = 100 + rounds * 1000 + step;
    const body = { maxFiles: value };
    const place = { appid, opName: 'files' };
    note(
      'property',
      await property.change(value, () => client.setOperatorProperties({ params: place, body })),
    );
    const plan = await client.getPhysicalPlan({ params: { appid } }).catch(() => undefined);
    const opid = plan?.operators.find(({ name }) => name === 'source')?.id;
    if (opid === undefined) return;
    const recorded = { appid, opid };
    const start = client.startOperatorRecording({ params: recorded, body: {} });
    note('recording', await start.then(() => undefined).catch((error: unknown) => error));
    await until(
      async () => performance.now(),
      () => Math.random() < 0.1,
    );
    await client.stopOperatorRecording({ params: recorded }).catch(() => {});
    const id = await living()
      .launch(numbers(`other-${rounds}-${step}`))
      .catch((error: unknown) => note('launch', error));
    if (id === undefined) return;
    launched.add(id);
    note('launch', undefined);
    await client.killApplication({ params: { appid: id } }).catch(() => {});
  }

  /** Nothing waits for a start of the gateway. */
  async function settled(): Promise<void> {
    const { client } = living();
    const found = await until(
      () => client.listServices().then(({ services }) => services[0]),
      // One that failed and that nobody wants to run is at rest.
      (one) => !one || one.state === 'RUNNING' || one.state === 'STOPPED' || isAtRest(one),
    );
    if (!found) return;
    t.ok(enabled.values.includes(found.enabled), `the service is enabled: ${found.enabled}`);
    if (isAtRest(found))
      t.match(found.stateDetail, /can't be written|can't be unpacked|nothing can be written|The disk refuse/);
    else t.equal(found.state, found.enabled ? 'RUNNING' : 'STOPPED');
  }

  async function judge(how: string): Promise<void> {
    const { client } = living();
    const wrong: string[] = [];
    const listed = (await client.listApplications()).apps.map(({ id }) => id);
    for (const id of launched) if (!listed.includes(id)) wrong.push(`${id} is not listed`);
    for (const id of listed) wrong.push(...(await judgeHistory(client, id)));
    if (main !== undefined && listed.includes(main)) {
      const place = { appid: main, opName: 'files' };
      const { maxFiles } = await client.getOperatorProperties({ params: place });
      const possible = property.values;
      if (possible[0] !== undefined && !possible.includes(maxFiles))
        wrong.push(`maxFiles is ${maxFiles}, and not ${possible}`);
      property.settle(maxFiles);
    }
    const [found] = (await client.listServices()).services;
    const version = found && versions.find((one) => urls[one] === found.srcUrl);
    const isGoing = found?.state === 'REMOVING' && service.values.includes(undefined);
    if (!isGoing && !service.values.includes(version))
      wrong.push(`the service is ${version}, and not ${service.values}`);
    service.settle(isGoing ? undefined : version);
    const homes = await readdir(join(folder, 'programs'));
    for (const home of homes) {
      const torn = join(folder, 'programs', home, params.name, 'data', 'torn');
      await readFile(torn).then(
        () => wrong.push('a program ran that was not whole'),
        () => {},
      );
    }
    t.strictSame(wrong, [], how);
    t.match(await client.getHealth(), { status: 'ok' }, how);
  }

  for (let how = 'before'; ; rounds++) {
    host = await startFailingHost(root, folder, disk.env);
    await judge(how);
    await settled();
    if (performance.now() - began > timeoutMillis) break;
    const appid = await lastingApplication();
    how = `round ${rounds}: ${await disk.fail()}`;
    const over = performance.now() + failingMillis;
    const work = async (one: (step: number) => Promise<void>) => {
      for (let step = 0; performance.now() < over || step === 0; step++) await one(step);
    };
    await Promise.all([work(changeService), work((step) => changeApplication(appid, step))]);
    if (Math.random() < 0.7) {
      await disk.mend();
      await settled();
    }
    await host.end(pick<'killed' | 'closed'>(['killed', 'closed']));
    await disk.mend();
  }
  const last = await lastingApplication();
  const place = { params: { appid: last } };
  await living().client.shutdownApplication(place);
  await until(
    () => living().client.getApplication(place),
    ({ finalStatus }) => finalStatus !== 'UNDEFINED',
  );
  const lines = await linesIn(join(files, 'main'));
  t.equal(lines.pop(), '', 'the last line is whole');
  const first = Number(lines[0]);
  t.equal(
    lines.findIndex((line, index) => line !== String(first + index)),
    -1,
    'no line is lost, doubled or cut',
  );
  t.comment(`${rounds} rounds, ${lines.length} lines; ${JSON.stringify([...told])}`);
  t.ok(rounds >= 1, `${rounds} rounds`);
  await host.end('closed');
}
