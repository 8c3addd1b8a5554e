import { fewValues, jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AppId } from '../../model/applications.js';
import {
  DeployHistory,
  OperatorId,
  OperatorList,
  PhysicalPlan,
  PhysicalPropertyQuery,
  PhysOperator,
  PhysPort,
  PortList,
  PortName,
  PropertyInput,
  PropertyValues,
  StreamList,
} from '../../model/physical-plan.js';
import type { PhysicalPlanService } from './service.js';

const route = routeFor<PhysicalPlanService>();

/** Of an ended application: its plan as it last was. */
export const physicalPlanRoutes = {
  getPhysicalPlan: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan',
    access: 'user',
    summary: 'Read the operators as they are deployed, with the streams between them',
    params: AppId,
    refusals: [409],
    reply: json(PhysicalPlan),
    handle: (plans, call) => plans.plan(call, call.params.appid),
  }),
  listPhysicalOperators: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators',
    access: 'user',
    summary: 'List the physical operators',
    params: AppId,
    refusals: [409],
    reply: json(OperatorList),
    handle: async (plans, call) => ({ operators: (await plans.plan(call, call.params.appid)).operators }),
  }),
  listPhysicalStreams: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/streams',
    access: 'user',
    summary: 'List the streams between physical operators',
    params: AppId,
    refusals: [409],
    reply: json(StreamList),
    handle: async (plans, call) => ({ streams: (await plans.plan(call, call.params.appid)).streams }),
  }),
  getPhysicalOperator: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}',
    access: 'user',
    summary: 'Read one physical operator',
    params: OperatorId,
    refusals: [409],
    reply: json(PhysOperator),
    handle: (plans, call) => plans.operator(call, call.params.appid, call.params.opid),
  }),
  getPhysicalOperatorProperties: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/properties',
    access: 'user',
    summary:
      'Read the properties that a physical operator was given, or with live those it has now, where asking does it no harm',
    requires: 'master.properties',
    params: OperatorId,
    query: PhysicalPropertyQuery,
    reply: json(PropertyValues),
    handle: (plans, call) => plans.properties(call, call.params.appid, call.params.opid, call.query),
  }),
  setPhysicalOperatorProperties: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/operators/{opid}/properties',
    access: 'user',
    summary: 'Change properties of one partition while it runs, all or none',
    licensed: 'RUNTIME_PROPERTY_CHANGE',
    requires: 'master.properties',
    params: OperatorId,
    body: jsonBody(PropertyInput, fewValues),
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
    refusals: [409],
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
    refusals: [409],
    reply: json(PhysPort),
    handle: (plans, call) => plans.port(call, call.params.appid, call.params.opid, call.params.portName),
  }),
};
