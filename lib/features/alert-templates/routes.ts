import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AlertTemplate, AlertTemplateList, TemplateInput, TemplateName } from './schema.js';
import type { AlertTemplateService } from './service.js';

const route = routeFor<AlertTemplateService>();

/** `docs/decisions.md`, Templates in the box: they have no owner, so only administrators change them. */
export const alertTemplateRoutes = {
  listAlertTemplates: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/templates/system',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'List what conditions of alerts can be made from',
    reply: json(AlertTemplateList),
    handle: async (templates) => ({ templates: await templates.list() }),
  }),
  getAlertTemplate: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/templates/system/{name}',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Read one template',
    params: TemplateName,
    reply: json(AlertTemplate),
    handle: (templates, { params }) => templates.get(params.name),
  }),
  putAlertTemplate: route({
    method: 'PUT',
    path: '/ws/v2/systemAlerts/templates/system/{name}',
    access: 'admin',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Create or replace a template',
    params: TemplateName,
    body: jsonBody(TemplateInput),
    reply: empty,
    handle: (templates, { params, body }) => templates.put(params.name, body),
  }),
  deleteAlertTemplate: route({
    method: 'DELETE',
    path: '/ws/v2/systemAlerts/templates/system/{name}',
    access: 'admin',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Delete a template, also a shipped one',
    params: TemplateName,
    reply: empty,
    handle: (templates, { params }) => templates.remove(params.name),
  }),
};
