import type { GatewayError } from '../model/errors.js';
import type { Principal } from './principal.js';
import type { ListedRoute } from './table.js';

/** Who is told of operations that change something. */
export interface Trace {
  /** Its handler is about to be called. Must not throw. */
  begin(operation: BegunOperation): OperationEnd;
  /** It was refused before. Must not throw. */
  refuse(operation: BegunOperation, outcome: OperationOutcome): void;
}

/** A success is answered when what this returns resolves, or at once; it must neither throw nor reject. */
export type OperationEnd = (outcome: OperationOutcome) => Promise<unknown> | undefined;

/** One operation that changes something. */
export interface BegunOperation {
  readonly requestId: string;
  readonly listed: ListedRoute;
  /** As on the wire, without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly user: Principal;
  readonly remoteAddress: string;
  /** What was read of it; absent when it was refused before. */
  readonly input: { readonly query: unknown; readonly body: unknown } | undefined;
}

/** What became of it. */
export interface OperationOutcome {
  readonly status: number;
  readonly error: GatewayError | undefined;
}
