import type { Sample } from '../model/samples.js';
import type { SqlApplication } from '../model/sql-application.js';
import type { CallOptions } from './call-options.js';
import type { LaunchRequest } from './launcher.js';

/** Looks into the tables that an application in SQL defines. */
export interface Sampler {
  /**
   * Carries out the statements of an application without the last one, which makes its job, and then the query, in bounded time and
   * bytes. What it began has ended, or is ending, when it settles. Rejects with `InvalidInput` for a query that does not only read
   * (`body.query`) and for statements that can't be, with `BadRequest` (`ENGINE_REFUSED`) for what the engine refuses, with `TooManyRequests`.
   */
  sample(request: SampleRequest, options?: CallOptions): Promise<Sample>;
}

/** `properties` and `defaults` as for a launch. */
export interface SampleRequest extends Pick<LaunchRequest, 'properties' | 'defaults'> {
  readonly sql: SqlApplication;
  /** One statement. */
  readonly query: string;
  /** At most so many. */
  readonly rows: number;
}
