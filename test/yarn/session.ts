import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Test } from 'tap';
import { filesystemStorage } from '../../adapters/storage/filesystem.js';
import type { Client } from '../../lib/client.js';
import { type PackageContents, writePackage } from './application-package.js';
import { type Artifacts, artifacts } from './artifacts.js';
import { startYarn, type YarnCluster, type YarnClusterOptions } from './cluster.js';
import { type YarnGateway, yarnGateway } from './gateway.js';

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
  /** Until the master tells that all operators process windows. */
  untilItRuns(appid: string): ReturnType<Client['listPhysicalOperators']>;
  untilState(appid: string, state: string): ReturnType<Client['getApplication']>;
}

export async function yarnSession(
  t: Pick<Test, 'teardown'>,
  options: YarnClusterOptions = {},
): Promise<YarnSession> {
  const parts = await artifacts();
  const cluster = await startYarn(parts, options);
  let gateway: YarnGateway | undefined;
  const open = async (port = 0) => {
    const storage = await filesystemStorage({ directory: join(cluster.directory, 'gateway') });
    return yarnGateway(cluster, parts, { storage, port });
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
      return until(
        () => client().listPhysicalOperators({ params: { appid } }),
        ({ operators }) =>
          operators.length > 0 &&
          operators.every(
            ({ status, currentWindowId }) => status === 'ACTIVE' && Number(currentWindowId) > 0,
          ),
      );
    },
    untilState: (appid, state) =>
      until(
        () => client().getApplication({ params: { appid } }),
        (application) => application.state === state,
      ),
  };
}

/** Asks until the answer fits, for two minutes. */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (performance.now() > deadline)
      throw new Error(`Still ${JSON.stringify(answer ?? null).slice(0, 2000)}`);
    await delay(300);
  }
}
