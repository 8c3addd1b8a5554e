import { fewValues, jsonBody } from '../../http/body.js';
import { empty, json, jsonObject } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import {
  Alert,
  AlertFilter,
  AlertHistoryReply,
  AlertInput,
  AlertList,
  AlertParams,
  ScriptToValidate,
  ScriptValidation,
  TopicDataReply,
} from './schema.js';
import type { AlertService } from './service.js';

const route = routeFor<AlertService>();

/** Alerts and their history; templates are a room of their own. */
export const alertRoutes = {
  putAlert: route({
    method: 'PUT',
    path: '/ws/v2/systemAlerts/alerts/{name}',
    access: 'MANAGE_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Create or replace an alert of one’s own; administrators replace anybody’s',
    params: AlertParams,
    body: jsonBody(AlertInput),
    refusals: [409],
    reply: empty,
    handle: (alerts, { user, params, body }) => alerts.put(user, params.name, body),
  }),
  deleteAlert: route({
    method: 'DELETE',
    path: '/ws/v2/systemAlerts/alerts/{name}',
    access: 'MANAGE_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Delete an alert',
    params: AlertParams,
    reply: empty,
    handle: (alerts, { user, params }) => alerts.remove(user, params.name),
  }),
  listAlerts: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/alerts',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'List the alerts of the current user with their status; all for administrators',
    query: AlertFilter,
    reply: json(AlertList),
    handle: (alerts, { user, query }) => ({ alerts: alerts.list(user, query) }),
  }),
  getAlert: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/alerts/{name}',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Read an alert with its status',
    params: AlertParams,
    reply: json(Alert),
    handle: (alerts, { user, params }) => alerts.get(user, params.name),
  }),
  listAlertHistory: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/history',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'List activations of alerts that are over, the newest first',
    reply: json(AlertHistoryReply),
    handle: (alerts, { user }) => ({ history: alerts.history(user) }),
  }),
  getTopicData: route({
    method: 'GET',
    path: '/ws/v2/systemAlerts/topicData',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary: 'Read what conditions of the current user would find in `_topic` now',
    reply: jsonObject(TopicDataReply),
    handle: (alerts, { user, signal }) => alerts.topicData(user, signal),
  }),
  validateScript: route({
    method: 'PUT',
    path: '/ws/v2/systemAlerts/validate/script',
    access: 'VIEW_SYSTEM_ALERTS',
    licensed: 'SYSTEM_ALERTS',
    summary:
      'Evaluate a condition, or what a template makes of values, once; with `email` a test mail is sent',
    body: jsonBody(ScriptToValidate, fewValues),
    refusals: [404],
    reply: json(ScriptValidation),
    handle: (alerts, { user, body, signal }) => alerts.validate(user, body, signal),
  }),
};
