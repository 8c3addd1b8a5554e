import type { ApplicationReport } from '../../interfaces/cluster.js';
import type { MasterInfo } from '../../interfaces/master.js';
import type { Issue } from '../../model/applications.js';
import type { Container } from '../../model/containers.js';
import type { PhysOperator } from '../../model/physical-plan.js';
import { hasEnded } from './filter.js';
import { lagOf, windowMillisOf } from './lag.js';
import type { Progress } from './progress.js';

/** What is known about an application at one moment. */
export interface Situation {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly report: Pick<ApplicationReport, 'state' | 'finalStatus' | 'startedTime'>;
  /** Absent when no master answered. */
  readonly seen?: {
    readonly info: Pick<MasterInfo, 'gatewayConnected' | 'gatewayAddress' | 'attributes' | 'stats'>;
    readonly operators: readonly PhysOperator[];
    readonly containers: readonly Container[];
    readonly progress: Progress;
    /** What the engine itself finds wrong. */
    readonly told?: readonly Issue[];
  };
}

/** Milliseconds. */
const recently = 10 * 60_000;
const waitsTooLong = 30_000;
const staysShort = 10_000;
const staysBlocked = 10_000;
const blockedWindows = 20;
/** Container deaths within `recently`. */
const manyDeaths = 3;
const maxNamed = 5;

/** What is wrong with a running application: `docs/decisions.md`, Issues of an application. */
export function issuesOf(situation: Situation): Issue[] {
  if (hasEnded(situation.report)) return [];
  return [
    masterNotReachable(situation),
    containerFailures(situation),
    operatorBlocked(situation) ?? lagging(situation),
    memoryNotAllocated(situation),
    gatewayNotConnected(situation),
    ...(situation.seen?.told ?? []),
  ].filter((issue) => issue !== undefined);
}

function masterNotReachable({ report, seen }: Situation): Issue | undefined {
  if (report.state !== 'RUNNING' || seen) return undefined;
  return {
    key: 'MASTER_NOT_REACHABLE',
    severity: 'error',
    description: 'The application runs, but its master does not answer; what it does is unknown',
  };
}

function containerFailures({ now, seen }: Situation): Issue | undefined {
  const died = (seen?.containers ?? []).filter(
    ({ state, containerType, finishedTime }) =>
      state === 'KILLED' && containerType === 'STREAMING' && finishedTime >= now - recently,
  );
  if (died.length < 2) return undefined;
  const failing = (seen?.operators ?? []).filter(({ failureCount }) => failureCount >= 2);
  return {
    key: 'CONTAINER_FAILURES',
    severity: died.length >= manyDeaths ? 'error' : 'warning',
    description:
      `${died.length} containers ended within the last ${recently / 60_000} minutes` +
      (failing.length > 0 ? `; operators that failed with them: ${named(failing)}` : ''),
  };
}

/** An operator that gets no further holds up all before it, so the one furthest behind is named first. */
function operatorBlocked({ now, seen }: Situation): Issue | undefined {
  if (!seen) return undefined;
  const limit = timeoutFor(windowMillisOf(seen.info.attributes));
  const blocked = seen.operators
    .flatMap((operator) => {
      const window = seen.progress.windows.get(operator.id);
      return window && now - window.since >= limit ? [{ operator, ...window }] : [];
    })
    .sort((a, b) => compareWindows(a.windowId, b.windowId));
  const [first] = blocked;
  if (!first) return undefined;
  const seconds = Math.round((now - first.since) / 1000);
  return {
    key: 'OPERATOR_BLOCKED',
    severity: 'error',
    description: `No progress for ${seconds} s, window ${first.windowId}: ${named(blocked.map(({ operator }) => operator))}`,
  };
}

const timeoutFor = (windowMillis: number) => Math.max(staysBlocked, blockedWindows * windowMillis);

/** Windows go by, but later than the clock says: more comes in than is worked off. */
function lagging({ now, seen }: Situation): Issue | undefined {
  if (!seen) return undefined;
  const windowMillis = windowMillisOf(seen.info.attributes);
  const behind = seen.operators
    .flatMap((operator) => {
      const lag = operator.status === 'ACTIVE' ? lagOf(operator.currentWindowId, windowMillis, now) : 0;
      return lag !== undefined && lag >= timeoutFor(windowMillis) ? [{ operator, lag }] : [];
    })
    .sort((a, b) => b.lag - a.lag);
  const [first] = behind;
  if (!first) return undefined;
  return {
    key: 'OPERATOR_LAGGING',
    severity: 'warning',
    description: `${Math.round(first.lag / 1000)} s behind: ${named(behind.map(({ operator }) => operator))}`,
  };
}

const memory = (description: string): Issue => ({
  key: 'MEMORY_NOT_ALLOCATED',
  severity: 'warning',
  description,
});

function memoryNotAllocated({ now, report, seen }: Situation): Issue | undefined {
  const waited = now - report.startedTime;
  if (report.state !== 'RUNNING') {
    if (waited < waitsTooLong) return undefined;
    return memory(`The cluster has given no container for ${Math.round(waited / 1000)} s`);
  }
  const shortSince = seen?.progress.shortSince;
  if (!seen?.info.stats || shortSince === undefined || now - shortSince < staysShort) return undefined;
  const { allocatedContainers, plannedContainers, memoryRequired } = seen.info.stats;
  return memory(
    `${allocatedContainers} of ${plannedContainers} containers are allocated` +
      (memoryRequired === undefined ? '' : `; the plan needs ${memoryRequired} MB`),
  );
}

function gatewayNotConnected({ report, seen }: Situation): Issue | undefined {
  if (report.state !== 'RUNNING' || seen?.info.gatewayConnected !== false) return undefined;
  const { gatewayAddress } = seen.info;
  return {
    key: 'GATEWAY_NOT_CONNECTED',
    propertyName: 'platform.attr.GATEWAY_CONNECT_ADDRESS',
    severity: 'warning',
    description:
      gatewayAddress === ''
        ? 'The application was not told where its gateway is: its topics stay empty'
        : `The application is not connected to its gateway at ${gatewayAddress}: its topics stay empty`,
  };
}

/** Decimal text of any length. */
const compareWindows = (a: string, b: string) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

function named(operators: readonly PhysOperator[]): string {
  const names = operators.slice(0, maxNamed).map(({ id, name }) => `${name} (${id})`);
  const more = operators.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
