import { fewValues, jsonBody } from '../../http/body.js';
import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AppId } from '../../model/applications.js';
import { LogicalPlan } from '../../model/logical-plan.js';
import { Sample } from '../../model/samples.js';
import { AppRef } from '../app-packages/schema.js';
import {
  LaunchBody,
  LaunchQuery,
  LaunchReply,
  PlanQuery,
  RestartBody,
  RestartQuery,
  SampleBody,
} from './schema.js';
import type { LaunchingService } from './service.js';

const route = routeFor<LaunchingService>();

/** What makes a new application. */
export const launchingRoutes = {
  launchPackageApplication: route({
    method: 'POST',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/applications/{appName}/launch',
    access: 'LAUNCH_APPS',
    resource: 'package read',
    since: '1.0.4',
    summary: 'Launch an application of a package',
    lockable: true,
    requires: 'resourceManager.launcher',
    params: AppRef,
    query: LaunchQuery,
    body: jsonBody(LaunchBody, { optional: true, ...fewValues }),
    reply: json(LaunchReply),
    handle: async (launching, call) => ({
      appId: await launching.launch(call, call.params, call.query, call.body ?? {}),
    }),
  }),
  planPackageApplication: route({
    method: 'POST',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/applications/{appName}/plan',
    access: 'PLAN_APPS',
    resource: 'package read',
    summary: 'Tell what a launch with these properties would begin; code of the application runs for it',
    lockable: true,
    requires: 'resourceManager.planner',
    params: AppRef,
    query: PlanQuery,
    body: jsonBody(LaunchBody, { optional: true, ...fewValues }),
    reply: json(LogicalPlan),
    handle: (launching, call) => launching.plan(call, call.params, call.query, call.body ?? {}),
  }),
  samplePackageApplication: route({
    method: 'POST',
    path: '/ws/v2/appPackages/{owner}/{name}/{version}/applications/{appName}/sample',
    access: 'LAUNCH_APPS',
    resource: 'package read',
    summary: 'Query the tables that an application in SQL defines, for some of their rows',
    lockable: true,
    requires: 'resourceManager.sampler',
    params: AppRef,
    body: jsonBody(SampleBody),
    reply: json(Sample),
    handle: (launching, call) => launching.sample(call, call.params, call.body),
  }),
  restartApplication: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/restart',
    access: 'LAUNCH_APPS',
    resource: 'application change',
    summary: 'Start an ended application again from its saved state, under a new id',
    since: '3.4.0',
    lockable: true,
    requires: 'resourceManager.launcher',
    params: AppId,
    query: RestartQuery,
    body: jsonBody(RestartBody, { optional: true, ...fewValues }),
    reply: json(LaunchReply),
    handle: async (launching, call) => ({
      appId: await launching.restart(call, call.params.appid, call.query, call.body),
    }),
  }),
};
