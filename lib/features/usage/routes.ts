import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { PeriodQuery, PhoneHomeReport, Switch, SwitchInput } from './schema.js';
import type { UsageService } from './service.js';

const route = routeFor<UsageService>();

export const usageRoutes = {
  getUsageReport: route({
    method: 'GET',
    path: '/ws/v2/phoneHome/report',
    access: 'VIEW_GLOBAL_CONFIG',
    summary:
      'Read how much the platform was used: in total, in the last complete day, or in the one that runs',
    query: PeriodQuery,
    refusals: [404],
    reply: json(PhoneHomeReport),
    handle: (usage, { query, signal }) => usage.report(query.period, signal),
  }),
  getUsageSwitch: route({
    method: 'GET',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell whether the usage is measured',
    refusals: [409],
    reply: json(Switch),
    handle: (usage) => ({ value: usage.isEnabled() }),
  }),
  putUsageSwitch: route({
    method: 'PUT',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say whether the usage is measured',
    body: jsonBody(SwitchInput),
    refusals: [409],
    reply: empty,
    handle: (usage, { body }) => usage.setEnabled(String(body.value)),
  }),
  deleteUsageSwitch: route({
    method: 'DELETE',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Let the default decide whether the usage is measured',
    refusals: [409],
    reply: empty,
    handle: (usage) => usage.unsetEnabled(),
  }),
};
