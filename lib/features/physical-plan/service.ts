import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { NotFound } from '../../model/errors.js';
import type {
  DeployHistory,
  PhysicalPlan,
  PhysOperator,
  PhysPort,
  PropertyValues,
} from '../../model/physical-plan.js';
import { onlyNamed, requireNamed } from '../../runtime/named.js';
import type { Applications } from '../applications/service.js';

export interface PhysicalPlanService {
  plan(call: Call, appId: string): Promise<PhysicalPlan>;
  operator(call: Call, appId: string, operatorId: string): Promise<PhysOperator>;
  port(call: Call, appId: string, operatorId: string, portName: string): Promise<PhysPort>;
  /** `live`: asked from the running operator. `propertyName`: only this one; rejects with `NotFound` when there is none. */
  properties(
    call: Call,
    appId: string,
    operatorId: string,
    query: { readonly propertyName?: string; readonly live?: boolean },
  ): Promise<PropertyValues>;
  /** Of this partition only, all or none. */
  setProperties(call: Call, appId: string, operatorId: string, values: PropertyValues): Promise<void>;
  /** Where the operator ran, in the order of time. */
  deployHistory(call: Call, appId: string, operatorId: string): Promise<DeployHistory>;
  /** For topics: `undefined` when the application is unknown. */
  observe(appId: string, signal: AbortSignal): Promise<PhysicalPlan | undefined>;
  readonly mayWatch: Applications['mayWatch'];
  readonly requireEnded: Applications['requireEnded'];
}

export function createPhysicalPlanService(deps: {
  applications: Applications;
  cluster: ClusterDriver;
}): PhysicalPlanService {
  const { applications, cluster } = deps;

  const plan: PhysicalPlanService['plan'] = (call, appId) =>
    applications.reading(call, appId, (master, options) => master.physicalPlan(options));

  async function operator(call: Call, appId: string, operatorId: string): Promise<PhysOperator> {
    const { operators } = await plan(call, appId);
    const found = operators.find(({ id }) => id === operatorId);
    if (!found) throw new NotFound('physical operator', operatorId);
    return found;
  }

  return {
    plan,
    operator,

    async port(call, appId, operatorId, portName) {
      const { ports } = await operator(call, appId, operatorId);
      return requireNamed(ports, 'port', portName);
    },

    async properties(call, appId, operatorId, query) {
      const values = await applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'properties').readOperator(operatorId, { ...query, ...options }),
      );
      return onlyNamed(values, 'property', query.propertyName);
    },

    setProperties: (call, appId, operatorId, values) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'physicalProperties').write(operatorId, values, options),
      ),

    deployHistory: (call, appId, operatorId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'deployHistory').read(operatorId, options),
      ),

    observe: (appId, signal) =>
      applications.observing(appId, signal, (master, options) => master.physicalPlan(options)),
    mayWatch: applications.mayWatch,
    requireEnded: applications.requireEnded,
  };
}
