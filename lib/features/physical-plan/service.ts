import { NotFound } from '../../core/errors.js';
import type { Call } from '../../core/route.js';
import type { Applications } from '../applications/service.js';
import type { PhysicalPlan, PhysOperator, PhysPort } from './schema.js';

export interface PhysicalPlanService {
  plan(call: Call, appId: string): Promise<PhysicalPlan>;
  operator(call: Call, appId: string, operatorId: string): Promise<PhysOperator>;
  port(call: Call, appId: string, operatorId: string, portName: string): Promise<PhysPort>;
  /** For topics: `undefined` when the application is unknown. */
  observe(appId: string, signal: AbortSignal): Promise<PhysicalPlan | undefined>;
  readonly mayWatch: Applications['mayWatch'];
}

export function createPhysicalPlanService({
  applications,
}: {
  applications: Applications;
}): PhysicalPlanService {
  const plan: PhysicalPlanService['plan'] = (call, appId) =>
    applications.reading(call, appId, (master, options) => master.physicalPlan(options));

  async function operator(call: Call, appId: string, operatorId: string): Promise<PhysOperator> {
    const { operators } = await plan(call, appId);
    const found = operators.find(({ id }) => id === operatorId);
    if (!found) throw new NotFound('operator', operatorId);
    return found;
  }

  return {
    plan,
    operator,

    async port(call, appId, operatorId, portName) {
      const { ports } = await operator(call, appId, operatorId);
      const found = ports.find(({ name }) => name === portName);
      if (!found) throw new NotFound('port', portName);
      return found;
    },

    observe: (appId, signal) =>
      applications.observing(appId, signal, (master, options) => master.physicalPlan(options)),
    mayWatch: applications.mayWatch,
  };
}
