import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Client } from '../../../lib/client.js';
import { filesystemStorage } from '../../../packages/level/index.js';
import { type PackageContents, writePackage } from './application-package.js';
import { type Artifacts, artifacts } from './artifacts.js';
import { startYarn, type YarnCluster, type YarnClusterOptions } from './cluster.js';
import { explainFailures } from './explain.js';
import { type YarnGateway, type YarnGatewayOptions, yarnGateway } from './gateway.js';

/** A cluster, and a gateway that can be started anew. */
export interface YarnSession {
  readonly parts: Artifacts;
  readonly cluster: YarnCluster;
  readonly client: Client;
  /** `host:port`: the same after a restart. */
  readonly address: string;
  /** Closes the gateway and opens another one over the same storage, on the same port. */
  restartGateway(): Promise<void>;
  /** Uploads what is written by the way, and resolves what its applications are launched by. */
  upload(
    contents: Omit<PackageContents, 'jars'> & { readonly jars?: string },
  ): Promise<{ owner: string; name: string; version: string }>;
  /** Until it runs and all its operators go on. */
  untilItRuns(appid: string): ReturnType<typeof untilAllMove>;
  untilState(appid: string, state: string): ReturnType<Client['getApplication']>;
}

export interface YarnSessionOptions extends YarnClusterOptions {
  readonly gateway?: Pick<YarnGatewayOptions, 'aggregatedLogs' | 'discovery'>;
}

export async function yarnSession(
  t: Pick<Test, 'teardown' | 'beforeEach' | 'comment'>,
  { yarn = {}, gateway: means = {} }: YarnSessionOptions = {},
): Promise<YarnSession> {
  const parts = await artifacts();
  const cluster = await startYarn(parts, { yarn });
  explainFailures(t, cluster);
  let gateway: YarnGateway | undefined;
  const open = async (port?: number) => {
    const storage = await filesystemStorage({ directory: join(cluster.directory, 'gateway') });
    return yarnGateway(cluster, parts, { ...means, storage, ...(port === undefined ? {} : { port }) });
  };
  t.teardown(async () => {
    await gateway?.close();
    await cluster.close();
  });
  gateway = await open();
  const { address } = gateway;
  const client = () => {
    if (!gateway) throw new Error('The gateway is closed');
    return gateway.client;
  };

  return {
    parts,
    cluster,
    address,
    get client() {
      return client();
    },
    async restartGateway() {
      await gateway?.close();
      gateway = undefined;
      gateway = await open(Number(address.split(':')[1]));
    },
    async upload(contents) {
      const file = join(cluster.directory, `${contents.name ?? 'package'}.apa`);
      await writePackage(file, { jars: parts.packageJars, ...contents });
      const meta = await client().uploadPackage({ body: await readFile(file) });
      return { owner: 'root', name: meta.appPackageName, version: meta.appPackageVersion };
    },
    untilItRuns: async (appid) => {
      await until(
        () => client().getApplication({ params: { appid } }),
        ({ state, diagnostics }) => {
          if (state === 'FAILED') throw new Error(`It failed: ${diagnostics}`);
          return state === 'RUNNING';
        },
      );
      return untilAllMove(client(), appid);
    },
    untilState: (appid, state) =>
      until(
        () => client().getApplication({ params: { appid } }),
        (application) => application.state === state,
      ),
  };
}

/**
 * Until all operators have passed the window that the foremost one had reached when all of them were deployed: one that
 * stands still is ACTIVE, too, and keeps the window it had before. By so many windows: more than a change of the plan
 * takes to begin, after one.
 */
export async function untilAllMove(client: Client, appid: string, by = 1n) {
  const operators = async () => (await client.listPhysicalOperators({ params: { appid } })).operators;
  type Operators = Awaited<ReturnType<typeof operators>>;
  const deployed = (all: Operators) => all.length > 0 && all.every(({ status }) => status === 'ACTIVE');
  const windows = (all: Operators) => all.map(({ currentWindowId }) => BigInt(currentWindowId ?? 0));
  const reached = windows(await until(operators, deployed)).reduce((a, b) => (a > b ? a : b));
  return until(operators, (all) => deployed(all) && windows(all).every((window) => window >= reached + by));
}

/**
 * Asks until the answer fits, for three minutes: machines are slow when they have much to do. What was not answered in
 * time is asked again, as everybody does.
 */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + 180_000;
  for (;;) {
    const { answer, late } = await ask().then(
      (answer) => ({ answer, late: undefined }),
      (error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'TIMED_OUT')) throw error;
        return { answer: undefined, late: error };
      },
    );
    if (!late && fits(answer)) return answer;
    if (performance.now() > deadline)
      throw late ?? new Error(`Still ${JSON.stringify(answer ?? null).slice(0, 2000)}`);
    await delay(300);
  }
}
