import type { ApplicationReport } from 'headgate/driver-kit';

type States = Pick<ApplicationReport, 'state' | 'finalStatus'>;

const runs: States = { state: 'RUNNING', finalStatus: 'UNDEFINED' };
const waits: States = { state: 'ACCEPTED', finalStatus: 'UNDEFINED' };

/**
 * Those that are ended are the three that Flink calls globally terminal. `SUSPENDED` is not: another JobManager takes the job
 * over, or nobody does.
 */
const known: ReadonlyMap<string, States> = new Map([
  ['INITIALIZING', { state: 'SUBMITTED', finalStatus: 'UNDEFINED' }],
  ['CREATED', waits],
  ['RECONCILING', waits],
  ['SUSPENDED', waits],
  ['RUNNING', runs],
  ['RESTARTING', runs],
  ['FAILING', runs],
  ['CANCELLING', runs],
  ['FINISHED', { state: 'FINISHED', finalStatus: 'SUCCEEDED' }],
  ['FAILED', { state: 'FAILED', finalStatus: 'FAILED' }],
  ['CANCELED', { state: 'KILLED', finalStatus: 'KILLED' }],
]);

/** A state that nobody knows yet is no evidence of an end. */
export const statesOf = (flinkState: string): States => known.get(flinkState) ?? runs;

export const hasEnded = ({ finalStatus }: Pick<ApplicationReport, 'finalStatus'>): boolean =>
  finalStatus !== 'UNDEFINED';
