import { json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { AppId } from '../applications/schema.js';
import { LogicalOperator, LogicalOperatorList, LogicalPlan, OperatorName } from './schema.js';
import type { LogicalPlanService } from './service.js';

const route = routeFor<LogicalPlanService>();

/** Spec 4.3. Of an ended application: its plan as it last was. */
export const logicalPlanRoutes = {
  getLogicalPlan: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan',
    access: 'user',
    summary: 'Read the application as it was written, with effective attributes',
    params: AppId,
    reply: json(LogicalPlan),
    handle: (plans, call) => plans.plan(call, call.params.appid),
  }),
  listLogicalOperators: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators',
    access: 'user',
    summary: 'List the logical operators, each summed up over its partitions',
    params: AppId,
    reply: json(LogicalOperatorList),
    handle: async (plans, call) => ({ operators: [...(await plans.operators(call, call.params.appid))] }),
  }),
  getLogicalOperator: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}',
    access: 'user',
    summary: 'Read one logical operator',
    params: OperatorName,
    reply: json(LogicalOperator),
    handle: (plans, call) => plans.operator(call, call.params.appid, call.params.opName),
  }),
};
