import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { NotFound } from '../../model/errors.js';
import type { ChangeRequest, LogicalOperator, LogicalPlan } from '../../model/logical-plan.js';
import type { Timeouts } from '../../model/timeouts.js';
import type { Applications } from '../applications/service.js';
import type { ContainerService } from '../containers/service.js';
import { createOperatorStatsHistory, type OperatorStatsHistory } from './stats.js';
import { createPlanValues, type PlanValues } from './values.js';

export interface LogicalPlanService
  extends PlanValues,
    OperatorStatsHistory,
    Pick<ContainerService, 'collections'> {
  plan(call: Call, appId: string): Promise<LogicalPlan>;
  /** All or none. Rejects with `Conflict` unless it runs, and with `InvalidInput` that names the request. */
  change(call: Call, appId: string, requests: readonly ChangeRequest[]): Promise<void>;
  operators(call: Call, appId: string): Promise<readonly LogicalOperator[]>;
  operator(call: Call, appId: string, operatorName: string): Promise<LogicalOperator>;
  /** For topics: `undefined` when the application is unknown. */
  observe(appId: string, signal: AbortSignal): Promise<readonly LogicalOperator[] | undefined>;
  readonly mayWatch: Applications['mayWatch'];
  readonly requireEnded: Applications['requireEnded'];
}

export function createLogicalPlanService(deps: {
  applications: Applications;
  cluster: ClusterDriver;
  containers: Pick<ContainerService, 'collections'>;
  timeouts: Pick<Timeouts, 'planChangeMillis'>;
}): LogicalPlanService {
  const { applications, cluster, timeouts } = deps;
  const operators: LogicalPlanService['operators'] = (call, appId) =>
    applications.reading(call, appId, (master, options) => master.logicalOperators(options));

  return {
    ...createPlanValues(deps),
    ...createOperatorStatsHistory(deps),
    operators,
    collections: deps.containers.collections,

    plan: (call, appId) =>
      applications.reading(call, appId, (master, options) => master.logicalPlan(options)),

    change: (call, appId, requests) =>
      applications.changing(
        call,
        appId,
        (master, options) => facetOf(cluster, master, 'planEditor').change(requests, options),
        timeouts.planChangeMillis,
      ),

    async operator(call, appId, operatorName) {
      const found = (await operators(call, appId)).find(({ name }) => name === operatorName);
      if (!found) throw new NotFound('operator', operatorName);
      return found;
    },

    observe: (appId, signal) =>
      applications.observing(appId, signal, (master, options) => master.logicalOperators(options)),
    mayWatch: applications.mayWatch,
    requireEnded: applications.requireEnded,
  };
}
