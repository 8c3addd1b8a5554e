import type { Failure } from 'headgate/driver-kit';
import type { Slot } from '../layout/physical-state.js';
import { monotonicMillis } from '../model/windows.js';
import type { ApplicationSettings } from '../plan/attributes.js';
import type { ExitCause } from './exit-cause.js';
import { failureEvent, lastLog } from './failure-reports.js';
import { createFailureCounter } from './failures.js';

interface FailureHandlerDeps {
  readonly directory: string;
  readonly settings: ApplicationSettings;
  readonly event: (type: string, data: Readonly<Record<string, string>>) => void;
  readonly redeploy: (slots: readonly number[], delayMillis: number) => void;
  readonly giveUp: (diagnostics: string, failure: Failure) => void;
}

export interface FailureHandler {
  /** Failures so far. */
  readonly count: number;
  /** Tells what happened and tries again, until there were too many within the period. */
  failed(slot: Slot, cause: ExitCause): void;
}

export function createFailureHandler(deps: FailureHandlerDeps): FailureHandler {
  const periodMillis = deps.settings.CONTAINER_FAILURE_PERIOD_MILLIS;
  const counter = createFailureCounter({ max: deps.settings.MAX_CONTAINER_FAILURES, periodMillis });
  let count = 0;
  return {
    get count() {
      return count;
    },
    failed(slot, { failure, logFileOffset }) {
      count++;
      const { type, data } = failureEvent(failure, logFileOffset);
      deps.event(type, data);
      const verdict = counter.add(failure, monotonicMillis());
      if (verdict.kind === 'retry') {
        deps.redeploy([slot.number], verdict.delayMillis);
        return;
      }
      const { cause } = verdict;
      const place = cause.operatorName ? ` in ${cause.operatorName}` : '';
      const diagnostics = `${verdict.count} container failures within ${periodMillis} ms; the first${place}: ${cause.message}`;
      lastLog(deps.directory, cause.containerId ?? '').then((log) =>
        deps.giveUp(diagnostics, { ...cause, log }),
      );
    },
  };
}
