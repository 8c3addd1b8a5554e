import { empty, json, jsonObject } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { AppId } from '../applications/schema.js';
import {
  Container,
  ContainerFilter,
  ContainerId,
  ContainerList,
  ContainerStatsList,
  ContainerStatsMeta,
  StatsQuery,
} from './schema.js';
import type { ContainerService } from './service.js';

const route = routeFor<ContainerService>();

/** Spec 4.2. */
export const containerRoutes = {
  listContainers: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers',
    access: 'user',
    summary: 'List the containers of an application, its master’s and ended ones included',
    params: AppId,
    query: ContainerFilter,
    reply: json(ContainerList),
    handle: async (containers, call) => ({
      containers: await containers.list(call, call.params.appid, call.query),
    }),
  }),
  getContainer: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}',
    access: 'user',
    summary: 'Read one container',
    params: ContainerId,
    reply: json(Container),
    handle: (containers, call) => containers.get(call, call.params.appid, call.params.containerId),
  }),
  killContainer: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/kill',
    access: 'user',
    summary: 'Kill a container; its operators are deployed again in a new one',
    requires: 'master.containerControl',
    params: ContainerId,
    reply: empty,
    handle: (containers, call) => containers.kill(call, call.params.appid, call.params.containerId),
  }),
  getContainerStatsMeta: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/stats/meta',
    access: 'user',
    summary: 'Tell which containers and what time the recorded statistics are of',
    requires: 'master.stats',
    params: AppId,
    reply: json(ContainerStatsMeta),
    handle: (containers, call) => containers.statsMeta(call, call.params.appid),
  }),
  listContainerStats: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/stats',
    access: 'user',
    summary: 'Read recorded statistics of containers: a range of time, or the newest 10,000 items',
    requires: 'master.stats',
    params: AppId,
    query: StatsQuery,
    reply: jsonObject(ContainerStatsList),
    handle: async (containers, call) => ({
      containerStats: [...(await containers.stats(call, call.params.appid, call.query))],
    }),
  }),
};
