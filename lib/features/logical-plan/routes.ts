import { jsonBody } from '../../core/body.js';
import { empty, json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { AppId } from '../applications/schema.js';
import { GcEventList, OperatorGcLogName, OperatorGcQuery, StatsQuery } from '../containers/schema.js';
import { PropertyInput, PropertyQuery, PropertyValues } from '../physical-plan/schema.js';
import {
  AttributeQuery,
  AttributeValues,
  LogicalOperator,
  LogicalOperatorList,
  LogicalPlan,
  LogicalPortName,
  OperatorName,
  OperatorStatsList,
  OperatorStatsMeta,
  PlanChange,
} from './schema.js';
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
  changeLogicalPlan: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/logicalPlan',
    access: 'user',
    summary: 'Change the plan while it runs, all requests or none; no tuple is lost or doubled by it',
    licensed: 'RUNTIME_DAG_CHANGE',
    requires: 'master.planEditor',
    params: AppId,
    body: jsonBody(PlanChange),
    reply: empty,
    handle: (plans, call) => plans.change(call, call.params.appid, call.body.requests),
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
  getOperatorProperties: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/properties',
    access: 'user',
    summary: 'Read the properties of a logical operator, its class included',
    requires: 'master.properties',
    params: OperatorName,
    query: PropertyQuery,
    reply: json(PropertyValues),
    handle: (plans, call) => plans.properties(call, call.params, call.query.propertyName),
  }),
  setOperatorProperties: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/properties',
    access: 'user',
    summary: 'Change properties of a logical operator while it runs, in all of its partitions, all or none',
    licensed: 'RUNTIME_PROPERTY_CHANGE',
    requires: 'master.properties',
    params: OperatorName,
    body: jsonBody(PropertyInput),
    reply: empty,
    handle: (plans, call) => plans.setProperties(call, call.params, call.body),
  }),
  getApplicationAttributes: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/attributes',
    access: 'user',
    summary: 'Read the attributes of an application that are in force',
    requires: 'master.attributes',
    params: AppId,
    query: AttributeQuery,
    reply: json(AttributeValues),
    handle: (plans, call) => plans.attributes(call, call.params, call.query.attributeName),
  }),
  getOperatorAttributes: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/attributes',
    access: 'user',
    summary: 'Read the attributes of an operator that are in force',
    requires: 'master.attributes',
    params: OperatorName,
    query: AttributeQuery,
    reply: json(AttributeValues),
    handle: (plans, call) => plans.attributes(call, call.params, call.query.attributeName),
  }),
  getPortAttributes: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/ports/{portName}/attributes',
    access: 'user',
    summary: 'Read the attributes of a port that are in force',
    requires: 'master.attributes',
    params: LogicalPortName,
    query: AttributeQuery,
    reply: json(AttributeValues),
    handle: (plans, call) => plans.attributes(call, call.params, call.query.attributeName),
  }),
  getOperatorStatsMeta: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/stats/meta',
    access: 'user',
    summary: 'Tell which partitions and what time the recorded statistics are of',
    requires: 'master.stats',
    params: OperatorName,
    reply: json(OperatorStatsMeta),
    handle: (plans, call) => plans.statsMeta(call, call.params.appid, call.params.opName),
  }),
  listOperatorStats: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/stats',
    access: 'user',
    summary: 'Read recorded statistics of an operator: a range of time, or the newest 10,000 items',
    requires: 'master.stats',
    params: OperatorName,
    query: StatsQuery,
    reply: jsonObject(OperatorStatsList),
    handle: async (plans, call) => ({
      operatorStats: [...(await plans.stats(call, call.params.appid, call.params.opName, call.query))],
    }),
  }),
  listOperatorCollections: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{operatorName}/logs/{logName}',
    access: 'VIEW_LOGS',
    summary: 'List the garbage collections of all containers of an operator in the order of time',
    licensed: 'APP_CONTAINER_LOGS',
    requires: 'master.logs',
    params: OperatorGcLogName,
    query: OperatorGcQuery,
    reply: jsonObject(GcEventList),
    handle: async (plans, call) => {
      const { appid, ...which } = call.params;
      return { lines: await plans.collections(call, appid, which, call.query) };
    },
  }),
};
