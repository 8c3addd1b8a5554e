import { jsonBody } from '../../core/body.js';
import { empty, json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { AppId } from '../applications/schema.js';
import {
  DeployHistory,
  OperatorId,
  OperatorList,
  PhysicalPlan,
  PhysOperator,
  PhysPort,
  PortList,
  PortName,
  PropertyInput,
  PropertyQuery,
  PropertyValues,
  StreamList,
} from './schema.js';
import type { PhysicalPlanService } from './service.js';

const route = routeFor<PhysicalPlanService>();

/** Spec 4.2. Of an ended application: its plan as it last was. */
export const physicalPlanRoutes = {
  getPhysicalPlan: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan',
    access: 'user',
    summary: 'Read the operators as they are deployed, with the streams between them',
    params: AppId,
    reply: json(PhysicalPlan),
    handle: (plans, call) => plans.plan(call, call.params.appid),
  }),
  listPhysicalOperators: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators',
    access: 'user',
    summary: 'List the physical operators',
    params: AppId,
    reply: json(OperatorList),
    handle: async (plans, call) => ({ operators: (await plans.plan(call, call.params.appid)).operators }),
  }),
  listPhysicalStreams: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/streams',
    access: 'user',
    summary: 'List the streams between physical operators',
    params: AppId,
    reply: json(StreamList),
    handle: async (plans, call) => ({ streams: (await plans.plan(call, call.params.appid)).streams }),
  }),
  getPhysicalOperator: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}',
    access: 'user',
    summary: 'Read one physical operator',
    params: OperatorId,
    reply: json(PhysOperator),
    handle: (plans, call) => plans.operator(call, call.params.appid, call.params.opid),
  }),
  getPhysicalOperatorProperties: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/properties',
    access: 'user',
    summary: 'Read the properties of a physical operator from where it runs',
    requires: 'master.properties',
    params: OperatorId,
    query: PropertyQuery,
    reply: json(PropertyValues),
    handle: (plans, call) =>
      plans.properties(call, call.params.appid, call.params.opid, call.query.propertyName),
  }),
  setPhysicalOperatorProperties: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/properties',
    access: 'user',
    summary: 'Change properties of one partition while it runs, all or none',
    licensed: 'RUNTIME_PROPERTY_CHANGE',
    requires: 'master.properties',
    params: OperatorId,
    body: jsonBody(PropertyInput),
    reply: empty,
    handle: (plans, call) => plans.setProperties(call, call.params.appid, call.params.opid, call.body),
  }),
  getDeployHistory: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/deployHistory',
    access: 'user',
    summary: 'Tell in which containers a physical operator ran, and since when',
    since: '1.0.6',
    requires: 'master.deployHistory',
    params: OperatorId,
    reply: json(DeployHistory),
    handle: (plans, call) => plans.deployHistory(call, call.params.appid, call.params.opid),
  }),
  listPorts: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/ports',
    access: 'user',
    summary: 'List the ports of a physical operator',
    params: OperatorId,
    reply: json(PortList),
    handle: async (plans, call) => ({
      ports: (await plans.operator(call, call.params.appid, call.params.opid)).ports,
    }),
  }),
  getPort: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/ports/{portName}',
    access: 'user',
    summary: 'Read one port of a physical operator',
    params: PortName,
    reply: json(PhysPort),
    handle: (plans, call) => plans.port(call, call.params.appid, call.params.opid, call.params.portName),
  }),
};
