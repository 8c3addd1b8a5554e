import type { LicenseStatus } from './status.js';
import type { LicenseTerms } from './terms.js';

/** What is known of the license at one moment. */
export interface LicenseView {
  readonly terms: LicenseTerms | undefined;
  /** Why one that is kept can't be used. */
  readonly problem: string | undefined;
  readonly status: LicenseStatus;
  /** By all running applications; `undefined` while the cluster was never reached. */
  readonly usedMB: number | undefined;
  /** As the cluster told last; `undefined` when it never did. */
  readonly nodesUsed: number | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface LicenseWarning {
  readonly key: 'LICENSE_MISSING' | 'LICENSE_EXPIRED' | 'LICENSE_EXPIRING' | 'LICENSE_MEMORY_EXCEEDED';
  /** An error locks. */
  readonly severity: 'warning' | 'error';
  readonly sentence: string;
}

/** What an administrator should know of it, the gravest first. */
export function warningsOf({ terms, problem, status, usedMB }: LicenseView): LicenseWarning[] {
  if (!terms) {
    const why = problem === undefined ? 'No license is configured' : `The license can't be used: ${problem}`;
    return [{ key: 'LICENSE_MISSING', severity: 'error', sentence: `${why}; ${cure}` }];
  }
  const warnings: LicenseWarning[] = [];
  const { state, exceedRemainingTime, expiresSoon } = status;
  const date = dateOf(terms.expireTime);
  if (state === 'expired') {
    const sentence = `The license "${terms.id}" expired at ${date}; ${cure}`;
    warnings.push({ key: 'LICENSE_EXPIRED', severity: 'error', sentence });
  }
  if (exceedRemainingTime !== undefined) {
    const over = `Applications use ${usedMB} MB where the license allows ${terms.memoryMBAllowed} MB`;
    const isOver = exceedRemainingTime === 0;
    const then = isOver
      ? 'the time of grace is over: end some of them, or upload another license'
      : `nothing can be launched in ${Math.ceil(exceedRemainingTime / 60_000)} minutes, unless some of them end`;
    warnings.push({
      key: 'LICENSE_MEMORY_EXCEEDED',
      severity: isOver ? 'error' : 'warning',
      sentence: `${over}; ${then}`,
    });
  }
  if (expiresSoon) {
    const sentence = `The license "${terms.id}" expires at ${date}; ${cure}`;
    warnings.push({ key: 'LICENSE_EXPIRING', severity: 'warning', sentence });
  }
  return warnings;
}

const cure = 'upload one with POST /ws/v2/licenses';

export const dateOf = (time: number | undefined): string =>
  time === undefined ? '' : new Date(time).toISOString();
