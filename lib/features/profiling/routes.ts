import { jsonBody } from '../../http/body.js';
import { json, text } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { ContainerId } from '../../model/containers.js';
import { OperatorName } from '../../model/logical-plan.js';
import {
  BackPressure,
  ContainerProfile,
  FlameGraph,
  FlameGraphQuery,
  ProfileId,
  ProfileList,
  ProfileOrder,
} from '../../model/profiling.js';
import type { ProfilingService } from './service.js';

const route = routeFor<ProfilingService>();

export const profilingRoutes = {
  getFlameGraph: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/flameGraph',
    access: 'user',
    resource: 'application read',
    requires: 'master.flameGraphs',
    summary: 'Tell where the threads of an operator are, by samples of their stacks; the first take seconds',
    params: OperatorName,
    query: FlameGraphQuery,
    reply: json(FlameGraph),
    handle: (profiling, call) =>
      profiling.flameGraph(call, call.params.appid, call.params.opName, call.query),
  }),
  getBackPressure: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/logicalPlan/operators/{opName}/backPressure',
    access: 'user',
    resource: 'application read',
    requires: 'master.backPressure',
    summary: 'Tell of each partition of an operator how much of its time it is held up, busy and idle',
    params: OperatorName,
    reply: json(BackPressure),
    handle: (profiling, call) => profiling.backPressure(call, call.params.appid, call.params.opName),
  }),
  listProfiles: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/profiles',
    access: 'user',
    resource: 'application read',
    requires: 'master.profiler',
    summary: 'List the profiles of a container, of all applications that run in it',
    params: ContainerId,
    reply: json(ProfileList),
    handle: async (profiling, call) => ({
      profiles: [...(await profiling.list(call, call.params.appid, call.params.containerId))],
    }),
  }),
  startProfile: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/profiles',
    access: 'user',
    resource: 'application change',
    requires: 'master.profiler',
    summary: 'Begin a profile of a container, of all that runs in it, and answer at once with it',
    params: ContainerId,
    body: jsonBody(ProfileOrder),
    reply: json(ContainerProfile),
    handle: (profiling, call) => profiling.start(call, call.params.appid, call.params.containerId, call.body),
  }),
  downloadProfile: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/profiles/{id}',
    access: 'user',
    resource: 'application read',
    requires: 'master.profiler',
    summary: 'Download a finished profile, a page in HTML that shows it as a flame graph',
    params: ProfileId,
    reply: text('text/html; charset=utf-8'),
    handle: (profiling, call) => {
      const { appid, containerId, id } = call.params;
      return profiling.download(call, appid, containerId, id);
    },
  }),
};
