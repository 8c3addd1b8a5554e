import { facetOf } from '../../core/capabilities.js';
import { NotFound } from '../../core/errors.js';
import { named, onlyNamed } from '../../core/named.js';
import type { Call } from '../../core/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Applications } from '../applications/service.js';
import type { DeployHistory, PhysicalPlan, PhysOperator, PhysPort, PropertyValues } from './schema.js';

export interface PhysicalPlanService {
  plan(call: Call, appId: string): Promise<PhysicalPlan>;
  operator(call: Call, appId: string, operatorId: string): Promise<PhysOperator>;
  port(call: Call, appId: string, operatorId: string, portName: string): Promise<PhysPort>;
  /** Asked from the running operator. `propertyName`: only this one; rejects with `NotFound` when there is none. */
  properties(call: Call, appId: string, operatorId: string, propertyName?: string): Promise<PropertyValues>;
  /** Of this partition only, all or none. */
  setProperties(call: Call, appId: string, operatorId: string, values: PropertyValues): Promise<void>;
  /** Where the operator ran, in the order of time. */
  deployHistory(call: Call, appId: string, operatorId: string): Promise<DeployHistory>;
  /** For topics: `undefined` when the application is unknown. */
  observe(appId: string, signal: AbortSignal): Promise<PhysicalPlan | undefined>;
  readonly mayWatch: Applications['mayWatch'];
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
      return named(ports, 'port', portName);
    },

    async properties(call, appId, operatorId, propertyName) {
      const values = await applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'properties').readOperator(operatorId, options),
      );
      return onlyNamed(values, 'property', propertyName);
    },

    setProperties: (call, appId, operatorId, values) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'properties').writeOperator(operatorId, values, options),
      ),

    deployHistory: (call, appId, operatorId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'deployHistory').read(operatorId, options),
      ),

    observe: (appId, signal) =>
      applications.observing(appId, signal, (master, options) => master.physicalPlan(options)),
    mayWatch: applications.mayWatch,
  };
}
