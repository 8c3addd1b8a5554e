import type { OperatorType } from '@headgate/operators';
import type { PlanOperator, PlanStream } from './logical.js';

export interface PhysicalOperator {
  /** `1`, `2`, ...: never taken by another operator of the application. */
  readonly id: string;
  /**
   * What it is in the logical plan, the same over restarts and changes of the plan: its state is kept under this name.
   * `{operator}/{partition}`, for unifiers `{name}>{reader}.{port}/{partition of the reader}`.
   */
  readonly key: string;
  /** For unifiers `{operator}.{port}#unifier`. */
  readonly name: string;
  readonly type: OperatorType;
  readonly isUnifier: boolean;
  /** The operator of the logical plan; of a unifier the one whose output it joins. */
  readonly logical: PlanOperator;
  /** In force: the partition's own over those of `logical`. Replaced as a whole when one changes at run time. */
  properties: Readonly<Record<string, unknown>>;
  readonly partition: { readonly index: number; readonly count: number };
  /** Number of its container. */
  slot: number;
}

export interface PhysicalConnection {
  readonly stream: PlanStream;
  readonly source: { readonly operator: PhysicalOperator; readonly port: string };
  readonly sink: { readonly operator: PhysicalOperator; readonly port: string; readonly label: string };
  /** The reader gets only its partition's tuples. */
  readonly split?: {
    readonly index: number;
    readonly count: number;
    readonly reader: PlanOperator;
    readonly port: string;
  };
}

export interface PhysicalPlan {
  readonly operators: readonly PhysicalOperator[];
  readonly connections: readonly PhysicalConnection[];
  /** Numbers of the containers, from 0; with gaps where a change of the plan ended some. */
  readonly slots: readonly number[];
  /** Smallest numbers that no operator and no container has had. */
  readonly next: { readonly id: number; readonly slot: number };
}
