import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStorage } from '../../adapters/storage/memory.js';
import type { JsonApplication, LaunchRequest } from '../../lib/driver-kit.js';
import type { ApplicationReport, ClusterContext, ClusterDriver } from '../../lib/index.js';
import { type LocalClusterOptions, localCluster } from '../../packages/engine/index.js';
import { bareRuntime } from './bare-runtime.js';
import { eventually } from './waiting.js';

export const fixtures = new URL('../fixtures/local-operators.js', import.meta.url);

export interface Published {
  readonly appId: string;
  readonly topic: string;
  readonly data: unknown;
}

export interface OpenCluster {
  readonly driver: ClusterDriver;
  readonly directory: string;
  readonly published: Published[];
  launch(application: JsonApplication, more?: Partial<LaunchRequest>): Promise<string>;
  /** Resolves the report once the application is in this state; rejects when it ended otherwise. */
  reached(appId: string, state: ApplicationReport['state']): Promise<ApplicationReport>;
}

interface Owner {
  teardown(run: () => Promise<void>): void;
}

/** What a gateway gives to a driver; what is published is gathered. */
export function silentContext(published: Published[]): ClusterContext {
  const silent = () => {};
  return {
    storage: memoryStorage(),
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    clock: { now: Date.now, monotonic: () => performance.now() },
    publish: (appId, topic, data) => {
      published.push({ appId, topic, data: JSON.parse(String(data)) });
      return true;
    },
    subscribe: () => silent,
    subscribeFor: () => silent,
  };
}

/** An engine in a directory of its own, closed and removed with the test. */
export async function openCluster(
  t: Owner,
  options: Partial<LocalClusterOptions> = {},
  context: Partial<ClusterContext> = {},
): Promise<OpenCluster> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'hg-test-'));
  const driver = localCluster({
    operators: [fixtures],
    ...options,
    execPath: options.execPath ?? bareRuntime(directory),
    directory,
  });
  const published: Published[] = [];
  await driver.open({ ...silentContext(published), ...context });
  t.teardown(async () => {
    await driver.close();
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
  });
  const { launcher } = driver.resourceManager;
  return {
    driver,
    directory,
    published,
    launch: async (application, more = {}) => {
      if (!launcher) throw new Error('no launcher');
      return launcher.launch({ user: 'ann', name: 'test', application, ...more });
    },
    reached: (appId, state) =>
      eventually(async () => {
        const report = await driver.resourceManager.getApplication(appId);
        if (report.state === state) return report;
        if (report.finalStatus !== 'UNDEFINED')
          throw new Error(
            `${appId} is ${report.state}: ${report.diagnostics} ${JSON.stringify(report.failure)}`,
          );
        return undefined;
      }),
  };
}

/** Lines of JSON that an operator wrote. */
export const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const op = (
  name: string,
  type: string,
  properties: Record<string, unknown> = {},
  attributes = {},
) => ({
  name,
  class: `test.${type}`,
  properties,
  attributes,
});

/** `a.out -> b.in`, ... */
export function stream(
  text: string,
  locality?: 'THREAD_LOCAL' | 'CONTAINER_LOCAL',
): JsonApplication['streams'][number] {
  const [source = '', sinks = ''] = text.split(' -> ');
  const end = (place: string) => {
    const [operatorName = '', portName = ''] = place.split('.');
    return { operatorName, portName };
  };
  return {
    name: source.replace('.', '-'),
    source: end(source),
    sinks: sinks.split(', ').map(end),
    ...(locality ? { locality } : {}),
  };
}
