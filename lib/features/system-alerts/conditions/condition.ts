import type { FieldRead } from '../../../model/alerts.js';

/**
 * Names of topics as a condition's text has them: one string is a name, more are its known parts in order with unknown
 * text between each two (`_topic['applications.' + id]` gives `['applications.', '']`).
 */
export type TopicPattern = readonly string[];

/** What a script is, without its being run. */
export type CheckedScript =
  | { readonly is: 'sound'; readonly topics: readonly TopicPattern[] }
  /** `line` and `column` count from 1; absent where nobody can tell. */
  | { readonly is: 'faulty'; readonly message: string; readonly line?: number; readonly column?: number };

export interface Condition {
  /** JavaScript whose last statement yields the boolean. */
  readonly script: string;
  /** Ask what the condition read, should the result be this. Default: nobody wants to know. */
  readonly fieldsWhen?: boolean | 'always';
}

export interface ConditionRound {
  readonly snapshots: readonly {
    /** Name to JSON text: what the conditions find in `_topic`. Texts that are the same string are read once. */
    readonly topics: ReadonlyMap<string, string>;
    /** An array that was there in the round before, at the same place, is not looked at again: it must be as it was. */
    readonly conditions: readonly Condition[];
    /** Whose conditions they are. Several snapshots may be of one owner. */
    readonly owner?: string;
  }[];
  /**
   * Processor time (ms) that the conditions of one owner may take: those that come after it are skipped. One that has to be
   * stopped takes its whole limit, one that ends the process all that its owner has. Default: no bound.
   */
  readonly ownerMillis?: number;
}

export type ConditionResult =
  | {
      readonly is: 'evaluated';
      /** `false` too for everything that is not a boolean; `note` says what it was instead. */
      readonly holds: boolean;
      readonly note?: string;
      readonly fields?: readonly FieldRead[];
      /** How long it took. */
      readonly millis: number;
    }
  /** It threw, or its text is not sound. */
  | { readonly is: 'failed'; readonly message: string }
  /** It took more time or memory than a condition may have. */
  | { readonly is: 'stopped'; readonly message: string }
  /** Nobody looked at it: its owner's other conditions, or those of others, took the time of this round. */
  | { readonly is: 'skipped'; readonly because: 'owner' | 'others' };

/**
 * Runs what users write, where it can do no harm: it sees frozen copies of topics and the language, no clock, no
 * randomness, no way out; what runs over is ended, and the others of its round are evaluated all the same.
 */
export interface ConditionRunner {
  /** Rejects with `NotReady` when no script can be run at all. */
  check(script: string): Promise<CheckedScript>;
  /** A result for each condition, in their order through all snapshots. Rejects with `NotReady` when no script can be run at all. */
  evaluate(round: ConditionRound): Promise<readonly ConditionResult[]>;
  /** Processes that it has at the moment. */
  processCount(): number;
  /** Idempotent. Afterwards everything rejects with `NotReady`. */
  close(): Promise<void>;
}
