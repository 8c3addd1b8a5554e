import type { CallOptions, Clock, ClusterMetrics } from 'headgate/driver-kit';
import * as z from 'zod';
import { hasEnded, type YarnApplications } from '../manager/applications.js';
import { type ManagerClient, managerName } from '../manager/client.js';
import type { Sighting } from '../manager/reports.js';
import { MasterOperators } from '../views/physical.js';
import { readAnswer } from '../wire/json.js';
import { Quantity } from '../wire/values.js';
import type { Masters } from './client.js';

const Totals = z.object({ clusterMetrics: z.object({ totalMB: Quantity }) });

/** What the operators of one application do, as of when its master was last asked. */
interface Doings {
  readonly at: number;
  readonly operators: number;
  readonly cpu: number;
  readonly processed: number;
  readonly emitted: number;
}

/** Milliseconds. Ended applications are counted anew no more often than that. */
const listGoodFor = 3000;
const doingsGoodFor = 5000;
const doingsTooOld = 120_000;
/** Masters asked for one answer: those that were not for the longest time. The others count as they were. */
const mastersAtOnce = 20;

/** The manager knows of containers and memory; what operators do, only masters know. */
export function createMetrics(deps: {
  readonly manager: ManagerClient;
  readonly applications: YarnApplications;
  readonly masters: Masters;
  readonly clock: Clock;
}): (options?: CallOptions) => Promise<ClusterMetrics> {
  const { manager, applications, masters, clock } = deps;
  const doings = new Map<string, Doings>();
  let ended: { readonly at: number; readonly sightings: readonly Sighting[] } | undefined;

  async function all(options: CallOptions): Promise<readonly Sighting[]> {
    const now = clock.monotonic();
    if (!ended || now - ended.at > listGoodFor)
      ended = { at: now, sightings: await applications.list(options) };
    const running = await applications.list({ ...options, activeOnly: true });
    const ids = new Set(running.map(({ report }) => report.id));
    return [...running, ...ended.sightings.filter(({ report }) => hasEnded(report) && !ids.has(report.id))];
  }

  async function look(sighting: Sighting, signal: AbortSignal | undefined): Promise<void> {
    const { operators } = await masters.of(sighting).get(MasterOperators, 'physicalPlan/operators', signal);
    const sum = (of: (operator: (typeof operators)[number]) => number) =>
      operators.reduce((total, operator) => total + of(operator), 0);
    doings.set(sighting.report.id, {
      at: clock.monotonic(),
      operators: operators.length,
      cpu: sum(({ cpuPercentageMA }) => cpuPercentageMA),
      processed: sum((operator) => (operator.unifierClass ? 0 : operator.tuplesProcessedPSMA)),
      emitted: sum((operator) => (operator.unifierClass ? 0 : operator.tuplesEmittedPSMA)),
    });
  }

  /** One that does not answer counts as it last was, for a while. */
  async function lookAt(running: readonly Sighting[], signal: AbortSignal | undefined): Promise<Doings[]> {
    const now = clock.monotonic();
    const lastOf = ({ report }: Sighting) => doings.get(report.id)?.at ?? -Infinity;
    const due = running
      .filter((sighting) => sighting.report.state === 'RUNNING' && now - lastOf(sighting) > doingsGoodFor)
      .sort((one, other) => lastOf(one) - lastOf(other))
      .slice(0, mastersAtOnce);
    await Promise.all(due.map((sighting) => look(sighting, signal).catch(() => {})));
    const ids = new Set(running.map(({ report }) => report.id));
    for (const [id, { at }] of doings) if (!ids.has(id) || now - at > doingsTooOld) doings.delete(id);
    return [...doings.values()];
  }

  return async (options = {}) => {
    const [{ text }, sightings] = await Promise.all([
      manager.ask('/ws/v1/cluster/metrics', { signal: options.signal }),
      all(options),
    ]);
    const { totalMB } = readAnswer(Totals, text, managerName).clusterMetrics;
    const running = sightings.filter(({ report }) => report.state === 'RUNNING');
    const found = await lookAt(running, options.signal);
    const count = (...states: string[]) =>
      sightings.filter(({ report }) => states.includes(report.state)).length;
    const sum = <T>(of: readonly T[], value: (one: T) => number) =>
      of.reduce((total, one) => total + value(one), 0);
    return {
      averageAge:
        running.length === 0 ? 0 : sum(running, ({ report }) => report.elapsedTime) / running.length,
      cpuPercentage: sum(found, ({ cpu }) => cpu),
      currentMemoryAllocatedMB: sum(running, ({ report }) => report.allocatedMB),
      maxMemoryAllocatedMB: totalMB,
      numAppsFailed: count('FAILED'),
      numAppsFinished: count('FINISHED'),
      numAppsKilled: count('KILLED'),
      numAppsPending: count('NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED'),
      numAppsRunning: running.length,
      numAppsSubmitted: sightings.length,
      numContainers: sum(running, ({ report }) => report.runningContainers),
      numOperators: sum(found, ({ operators }) => operators),
      tuplesEmittedPSMA: sum(found, ({ emitted }) => emitted),
      tuplesProcessedPSMA: sum(found, ({ processed }) => processed),
    };
  };
}
