import { jsonBody } from '../../core/body.js';
import { empty, json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { PeriodQuery, PhoneHomeReport, Switch, SwitchInput } from './schema.js';
import type { UsageService } from './service.js';

const route = routeFor<UsageService>();

/** Spec 4.4. */
export const usageRoutes = {
  getUsageReport: route({
    method: 'GET',
    path: '/ws/v2/phoneHome/report',
    access: 'VIEW_GLOBAL_CONFIG',
    summary:
      'Read how much the platform was used: in total, in the last complete day, or in the one that runs',
    query: PeriodQuery,
    reply: json(PhoneHomeReport),
    handle: (usage, { query, signal }) => usage.report(query.period, signal),
  }),
  getUsageSwitch: route({
    method: 'GET',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Tell whether the usage is measured',
    reply: json(Switch),
    handle: (usage) => ({ value: usage.isEnabled() }),
  }),
  putUsageSwitch: route({
    method: 'PUT',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Say whether the usage is measured',
    body: jsonBody(SwitchInput),
    reply: empty,
    handle: (usage, { body }) => usage.setEnabled(String(body.value)),
  }),
  deleteUsageSwitch: route({
    method: 'DELETE',
    path: '/ws/v2/config/properties/platform.phoneHome.enable',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Let the default decide whether the usage is measured',
    reply: empty,
    handle: (usage) => usage.unsetEnabled(),
  }),
};
