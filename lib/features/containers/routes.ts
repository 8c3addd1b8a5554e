import { either, empty, json, jsonObject, text } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AppId } from '../../model/applications.js';
import {
  Container,
  ContainerFilter,
  ContainerId,
  ContainerList,
  ContainerStatsList,
  ContainerStatsMeta,
  GcEventList,
  GcLogName,
  GcQuery,
  LogLines,
  LogList,
  LogName,
  LogQuery,
  StatsQuery,
  ThreadDump,
} from '../../model/containers.js';
import type { ContainerService } from './service.js';

const route = routeFor<ContainerService>();

export const containerRoutes = {
  listContainers: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers',
    access: 'user',
    resource: 'application read',
    summary: 'List the containers of an application, its master’s and ended ones included',
    params: AppId,
    query: ContainerFilter,
    refusals: [409],
    reply: json(ContainerList),
    handle: async (containers, call) => ({
      containers: await containers.list(call, call.params.appid, call.query),
    }),
  }),
  getContainer: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}',
    access: 'user',
    resource: 'application read',
    summary: 'Read one container',
    params: ContainerId,
    refusals: [409],
    reply: json(Container),
    handle: (containers, call) => containers.get(call, call.params.appid, call.params.containerId),
  }),
  killContainer: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/kill',
    access: 'user',
    resource: 'application change',
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
    resource: 'application read',
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
    resource: 'application read',
    summary: 'Read recorded statistics of containers: a range of time, or the newest 10,000 items',
    requires: 'master.stats',
    params: AppId,
    query: StatsQuery,
    reply: jsonObject(ContainerStatsList),
    handle: async (containers, call) => ({
      containerStats: [...(await containers.stats(call, call.params.appid, call.query))],
    }),
  }),
  getStackTrace: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/stackTrace',
    access: 'user',
    resource: 'application read',
    summary: 'Look where the threads of an active container are at this moment',
    since: '3.4.0',
    requires: 'master.stackTraces',
    params: ContainerId,
    reply: json(ThreadDump),
    handle: (containers, call) => containers.stackTrace(call, call.params.appid, call.params.containerId),
  }),
  listLogs: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/logs',
    access: 'VIEW_LOGS',
    resource: 'application read',
    summary: 'List the log files of a container, living or ended',
    licensed: 'APP_CONTAINER_LOGS',
    requires: 'master.logs',
    params: ContainerId,
    reply: json(LogList),
    handle: async (containers, call) => ({
      logs: [...(await containers.listLogs(call, call.params.appid, call.params.containerId))],
    }),
  }),
  readLog: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/{containerId}/logs/{logName}',
    access: 'VIEW_LOGS',
    resource: 'application read',
    summary: 'Read or search a log file: as text, or as JSON with the offset of each line',
    licensed: 'APP_CONTAINER_LOGS',
    requires: 'master.logs',
    params: LogName,
    query: LogQuery,
    reply: either(text(), jsonObject(LogLines)),
    handle: (containers, call) => {
      const { appid, containerId, logName } = call.params;
      return containers.readLog(call, appid, containerId, logName, call.query);
    },
  }),
  listCollections: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/physicalPlan/containers/logs/{logName}',
    access: 'VIEW_LOGS',
    resource: 'application read',
    summary: 'List the garbage collections of all containers in the order of time, as text or as JSON',
    licensed: 'APP_CONTAINER_LOGS',
    requires: 'master.logs',
    params: GcLogName,
    query: GcQuery,
    reply: either(text(), jsonObject(GcEventList)),
    handle: async (containers, call) => {
      const { appid, ...which } = call.params;
      if (!call.query.includeOffset) return containers.collectionsText(call, appid, which, call.query);
      return { lines: await containers.collections(call, appid, which, call.query) };
    },
  }),
};
