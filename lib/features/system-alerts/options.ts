import { type OptionChecks, option } from '../../runtime/option-checks.js';
import type { ConditionRunnerOptions } from './conditions/runner.js';
import type { SnapshotLimits } from './snapshots.js';
import type { HistoryLimits } from './topic-history.js';

/** Of system alerts. */
export interface AlertOptions {
  /** Milliseconds from one evaluation of all alerts to the next, at least 100. Default: 5000. */
  readonly everyMillis?: number;
  /**
   * Status, history and mails that are not sent yet outlive a restart, also one by a crash: an alert that was active stays
   * so, without another mail. Default: false.
   */
  readonly durable?: boolean;
  /** The process that runs conditions. */
  readonly scripts?: ConditionRunnerOptions;
  readonly limits?: Partial<AlertLimits>;
}

interface AlertLimits extends SnapshotLimits, HistoryLimits {
  /** Alerts of one owner. Default: 200. */
  readonly perOwner: number;
  /** Alerts in all. Default: 5,000. */
  readonly total: number;
  /**
   * Processor time that the conditions of one owner may take in a round (ms); those that come after it have their turn in
   * the next ones. Default: 250.
   */
  readonly millisPerOwner: number;
  /** Activations of one owner's alerts that are remembered; the oldest go first. Default: 1,000. */
  readonly historyPerOwner: number;
}

interface ReadAlertOptions {
  readonly everyMillis: number;
  readonly isDurable: boolean;
  readonly scripts: ConditionRunnerOptions;
  readonly limits: AlertLimits;
}

const defaultLimits: AlertLimits = {
  perOwner: 200,
  total: 5000,
  millisPerOwner: 250,
  historyPerOwner: 1000,
  topics: 500,
  characters: 16 * 1024 ** 2,
  historyMillis: 60 * 60_000,
  historyCharacters: 16 * 1024 ** 2,
};

const scriptOptions: OptionChecks<ConditionRunnerOptions> = {
  execPath: option.program,
  env: option.valuesOf(option.text),
  limitMillis: option.atLeast(1),
  heapMB: option.atLeast(1),
};

export const alertOptions: OptionChecks<AlertOptions> = {
  everyMillis: option.atLeast(100),
  durable: option.flag,
  scripts: option.group(scriptOptions),
  limits: option.limits(defaultLimits),
};

export function readAlertOptions(options: AlertOptions = {}): ReadAlertOptions {
  const { everyMillis = 5000, durable = false, scripts = {} } = options;
  return { everyMillis, isDurable: durable, scripts, limits: { ...defaultLimits, ...options.limits } };
}
