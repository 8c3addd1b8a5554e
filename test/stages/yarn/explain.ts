import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { z } from 'zod';
import type { YarnCluster } from './cluster.js';

// A failure on a machine that nobody can visit has to explain itself: what the masters tell, and the ends of the logs.

const Apps = z.object({
  apps: z.nullable(z.object({ app: z.array(z.object({ id: z.string(), state: z.string() })) })),
});
type App = { readonly id: string; readonly state: string };
const Operators = z.object({
  operators: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      status: z.string(),
      currentWindowId: z.string(),
      container: z.string().nullish(),
    }),
  ),
});
type ClusterPlace = Pick<YarnCluster, 'directory' | 'resourceManager'>;

/** The first subtest that fails from now on prints how the cluster stands. */
export function explainFailures(whole: Pick<Test, 'beforeEach' | 'comment'>, cluster: ClusterPlace): void {
  let isExplained = false;
  whole.beforeEach((t) => {
    // What it threw counts only when it is torn down; and then only its parent may still say something.
    t.teardown(async () => {
      if (t.passing() || isExplained) return;
      isExplained = true;
      const lines = await explain(cluster).catch((error: unknown) => [`There is no explanation: ${error}`]);
      whole.comment(lines.map((line) => `| ${line}`).join('\n'));
    });
  });
}

async function explain(cluster: ClusterPlace): Promise<string[]> {
  const { apps } = await ask(`${cluster.resourceManager}/ws/v1/cluster/apps`, Apps).catch(() => ({
    apps: null,
  }));
  const isRunning = ({ state }: App) => state === 'RUNNING' || state === 'ACCEPTED';
  const all = (apps?.app ?? []).sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)));
  const logs = join(cluster.directory, 'logs');
  const told = [
    ...all.map((app) => operatorsOf(cluster, app)),
    ...all.map(({ id, ...app }) => containersOf(join(logs, 'userlogs', id), isRunning({ id, ...app }))),
    endsOf(logs, await namesIn(logs, /^(resource|node)Manager\.log$/), 5),
  ];
  return (await Promise.all(told)).flat();
}

/** Who goes on, who has ended, who stands still. */
async function operatorsOf({ resourceManager }: ClusterPlace, { id, state }: App): Promise<string[]> {
  const url = `${resourceManager}/proxy/${id}/ws/v2/stram/physicalPlan/operators`;
  const { operators } = await ask(url, Operators).catch(() => ({ operators: [] }));
  return [
    `${id} is ${state}`,
    ...operators.map(
      (one) => `  ${one.id} ${one.name} ${one.status} at window ${one.currentWindowId} in ${one.container}`,
    ),
  ];
}

/** Its master first, which says most. */
async function containersOf(directory: string, isRunning: boolean): Promise<string[]> {
  const names = await namesIn(directory, /(apex\.log|\/stderr)$/);
  const masters = names.filter((name) => /_000001\//.test(name));
  if (!isRunning) return endsOf(directory, masters, 8);
  const others = names.filter((name) => !masters.includes(name));
  return [...(await endsOf(directory, masters, 25)), ...(await endsOf(directory, others, 8))];
}

async function ask<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  const reply = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(10_000),
  });
  return schema.parse(await reply.json());
}

async function namesIn(directory: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  return names.filter((name) => pattern.test(name)).sort();
}

async function endsOf(directory: string, names: readonly string[], lines: number): Promise<string[]> {
  const ends = names.map(async (name) => {
    const end = tellingEnd(await readFile(join(directory, name), 'utf8').catch(String), lines);
    return end.length > 0 ? [`--- ${join(directory, name)}`, ...end] : [];
  });
  return (await Promise.all(ends)).flat();
}

/** The last lines, without what is said again and again: each kind of line where it was said last. */
function tellingEnd(text: string, count: number): string[] {
  const kinds = new Set<string>();
  const end: string[] = [];
  for (const line of text.split('\n').reverse()) {
    const kind = line.replaceAll(/\d+/g, '#').slice(0, 160);
    if (line.trim() === '' || kinds.has(kind)) continue;
    kinds.add(kind);
    end.unshift(line.slice(0, 300));
    if (end.length === count) break;
  }
  return end;
}
