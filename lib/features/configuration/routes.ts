import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AuthConfig, AuthTest, AuthTestResult, ConfigurationIssueList, GroupMapping } from './schema.js';
import type { ConfigurationService } from './service.js';

const route = routeFor<ConfigurationService>();

export const configurationRoutes = {
  getAuthConfig: route({
    method: 'GET',
    path: '/ws/v2/config/auth',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read who may come in as it was put last, without secrets',
    refusals: [501],
    reply: json(AuthConfig),
    handle: (configuration) => configuration.getAuth(),
  }),
  putAuthConfig: route({
    method: 'PUT',
    path: '/ws/v2/config/auth',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say who may come in, from the next restart on; only for administrators',
    body: jsonBody(AuthConfig, { maxValues: 5_000 }),
    refusals: [409, 501],
    reply: empty,
    handle: (configuration, call) => configuration.putAuth(call, call.body),
  }),
  testAuthConfig: route({
    method: 'POST',
    path: '/ws/v2/config/auth/test',
    access: 'EDIT_GLOBAL_CONFIG',
    summary:
      'Try settings with a name and a password before they are put; keeps nothing, only for administrators',
    body: jsonBody(AuthTest, { maxValues: 5_000 }),
    refusals: [409, 429, 501],
    reply: json(AuthTestResult),
    handle: (configuration, call) => configuration.testAuth(call, call.body, call.caller),
  }),
  getGroupMapping: route({
    method: 'GET',
    path: '/ws/v2/config/groupMapping',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read which groups have which roles',
    reply: json(GroupMapping),
    handle: (configuration) => configuration.getGroupMapping(),
  }),
  putGroupMapping: route({
    method: 'PUT',
    path: '/ws/v2/config/groupMapping',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Give roles to groups, at once; only for administrators',
    body: jsonBody(GroupMapping),
    reply: empty,
    handle: (configuration, call) => configuration.putGroupMapping(call, call.body),
  }),
  listConfigIssues: route({
    method: 'GET',
    path: '/ws/v2/config/issues',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List what an administrator should see to',
    reply: json(ConfigurationIssueList),
    handle: async (configuration) => ({ issues: await configuration.issues() }),
  }),
  restartGateway: route({
    method: 'POST',
    path: '/ws/v2/config/restart',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Restart the gateway: everybody logs in again, and what runs goes on',
    reply: empty,
    handle: (configuration) => configuration.restart(),
  }),
};
