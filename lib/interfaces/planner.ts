import type { LogicalPlan } from '../model/logical-plan.js';
import type { CallOptions } from './call-options.js';
import type { LaunchRequest } from './launcher.js';

/** Tells what a launch would come to, which only the code of the application knows. Asked by who may launch, and never by the gateway itself. */
export interface Planner {
  /**
   * Runs the code of the application as `launch` would with this request, in bounded time, and starts nothing. Rejects with
   * `BadRequest` for what can't be planned (`APPLICATION_TYPE_NOT_SUPPORTED`), for properties, and for what the engine or that code
   * refuses (`ENGINE_REFUSED`), with the reason; with `TimedOut` when that code takes too long.
   */
  plan(request: LaunchRequest, options?: CallOptions): Promise<LogicalPlan>;
}
