import { resourceManagerFacetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { LogicalPlan } from '../../model/logical-plan.js';
import type { Timeouts } from '../../model/timeouts.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { AppRef } from '../app-packages/schema.js';
import type { PackageService } from '../app-packages/service.js';
import type { PropertyService } from '../properties/service.js';
import { requestOf } from './request.js';
import type { PlanQuery } from './schema.js';

/** What the launch of an application would begin, with the same properties. Rejects with what `Planner.plan` rejects with. */
export type Planning = (
  call: Call,
  ref: AppRef,
  query: PlanQuery,
  properties: Readonly<Record<string, string>>,
) => Promise<LogicalPlan>;

export const createPlanning =
  (deps: {
    readonly packages: Pick<PackageService, 'lending'>;
    readonly properties: Pick<PropertyService, 'forLaunch'>;
    readonly cluster: ClusterDriver;
    readonly timeouts: Pick<Timeouts, 'launchMillis'>;
  }): Planning =>
  (call, ref, query, properties) =>
    deps.packages.lending(call, ref, query.config, async (app) => {
      const from = { ref, query, properties, as: { user: call.user.userName }, site: deps.properties };
      const request = await requestOf(app, from);
      const planner = resourceManagerFacetOf(deps.cluster, 'planner');
      return withTimeout(deps.timeouts.launchMillis, 'The plan', call.signal, (signal) =>
        planner.plan(request, { signal }),
      );
    });
