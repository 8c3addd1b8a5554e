import type { ServiceDefinition } from '../schema.js';
import type { Installed } from '../stored.js';

/** Fills in variables. Rejects with `BadRequest` naming those without a value. */
export type Resolve = (text: string) => Promise<string>;

/** A service as its kind needs to know it. */
export interface ServiceOrder {
  readonly name: string;
  readonly definition: ServiceDefinition;
  readonly revision: string;
  readonly installedBy: string;
  readonly installed: Installed | undefined;
  readonly resolve: Resolve;
}

/** One container or application that a service was started as. */
export interface Life {
  readonly id: string;
  readonly state: 'starting' | 'running' | 'ended';
  /** Epoch milliseconds. */
  readonly startedTime: number;
  /** Of the definition it was started from, where that is known. */
  readonly revision?: string;
  /** Why it ended: one sentence. */
  readonly reason?: string;
  readonly memoryMB?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface Work {
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/** How services of one type are run. Errors are sentences for the operator. */
export interface ServiceKind {
  /** Throws `InvalidInput` or `NotSupported`. `at`: where the definition stands in the request. */
  check(name: string, definition: ServiceDefinition, at: string): void;
  /** Rejects when it can't be asked now (502). */
  requireReachable(): Promise<void>;
  /** Quick when nothing is missing. Resolves what has to be remembered. */
  install(order: ServiceOrder, work: Work): Promise<Installed | undefined>;
  start(order: ServiceOrder, work: Work): Promise<Life>;
  /** Resolves when it has ended. */
  stop(order: ServiceOrder, life: Life | undefined, signal: AbortSignal): Promise<void>;
  /** Ends what runs and clears away what was fetched. */
  remove(order: ServiceOrder, life: Life | undefined, signal: AbortSignal): Promise<void>;
  /**
   * How the services are at this moment, by name; absent: there is nothing. `lifeIds`: the lives that were started, by
   * name, for kinds that find ended ones by id only.
   */
  look(
    lifeIds: ReadonlyMap<string, string | undefined>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Life>>;
}
