import type { Issue, LogicalOperator } from 'headgate/driver-kit';
import type { FlinkCheckpoint } from '../rest/history-shapes.js';
import type { JobView } from './job-view.js';

/** Milliseconds of each second that an operator is held up by those behind it: half of the time. */
const heldUp = 500;
const maxNamed = 5;

/** What Flink tells that is wrong with a job that has not ended. */
export function issuesOf(seen: {
  readonly view: JobView;
  readonly logical: readonly LogicalOperator[];
  /** The newest first. */
  readonly checkpoints: readonly FlinkCheckpoint[];
  readonly freeSlots: number;
}): Issue[] {
  return [
    restarting(seen.view),
    checkpointsFailing(seen.checkpoints),
    noFreeSlots(seen.view, seen.freeSlots),
    backPressured(seen.logical),
  ].filter((issue) => issue !== undefined);
}

function restarting({ job, vertices }: JobView): Issue | undefined {
  if (job.state !== 'RESTARTING' && job.state !== 'FAILING') return undefined;
  const attempts = Math.max(0, ...vertices.flatMap(({ subtasks }) => subtasks.map(({ attempt }) => attempt)));
  return {
    key: 'JOB_RESTARTING',
    severity: 'error',
    description: `The job does not run: it is ${job.state}, after ${attempts} restarts`,
  };
}

function checkpointsFailing(checkpoints: readonly FlinkCheckpoint[]): Issue | undefined {
  const over = checkpoints.filter(({ status, is_savepoint }) => status !== 'IN_PROGRESS' && !is_savepoint);
  const completed = over.findIndex(({ status }) => status === 'COMPLETED');
  const failed = completed === -1 ? over.length : completed;
  if (failed === 0) return undefined;
  const reason = over[0]?.failure_message;
  return {
    key: 'CHECKPOINTS_FAILING',
    severity: failed > 1 ? 'error' : 'warning',
    description:
      (failed === 1 ? 'The last checkpoint failed' : `The last ${failed} checkpoints failed`) +
      (reason ? `: ${reason}` : ''),
  };
}

function noFreeSlots({ vertices }: JobView, freeSlots: number): Issue | undefined {
  const waiting = vertices.flatMap(({ subtasks }) =>
    subtasks.filter(({ status }) => status === 'SCHEDULED' || status === 'CREATED'),
  ).length;
  if (waiting === 0 || freeSlots > 0) return undefined;
  return {
    key: 'NO_FREE_SLOTS',
    severity: 'error',
    description: `${waiting} subtasks wait for a slot, and the cluster has none free`,
  };
}

function backPressured(logical: readonly LogicalOperator[]): Issue | undefined {
  const held = logical.filter(({ counters }) => {
    const told = counters?.['backPressuredTimeMsPerSecond'];
    return typeof told === 'object' && told !== null && 'max' in told && Number(told.max) >= heldUp;
  });
  if (held.length === 0) return undefined;
  const names = held.slice(0, maxNamed).map(({ name }) => name);
  const more = held.length - names.length;
  return {
    key: 'OPERATORS_BACK_PRESSURED',
    severity: 'warning',
    description: `Held up by those behind them for half of the time or more: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  };
}
