import * as z from 'zod';
import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import {
  ConfigProperties,
  ConfigPropertyInput,
  ConfigPropertyReply,
  KnownPropertyList,
  PropertyList,
  PropertyName,
} from './schema.js';
import type { PropertyService } from './service.js';

const route = routeFor<PropertyService>();
const ref = z.object({ PROPERTY_NAME: PropertyName });

export const propertyRoutes = {
  listProperties: route({
    method: 'GET',
    path: '/ws/v2/config/properties',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List the properties of the platform with their scopes; secrets are masked',
    refusals: [409],
    reply: json(ConfigProperties),
    handle: (properties) => properties.list(),
  }),
  listKnownProperties: route({
    method: 'GET',
    path: '/ws/v2/config/knownProperties',
    access: 'VIEW_GLOBAL_CONFIG',
    summary:
      'List the properties that mean something to the gateway: default, when a value counts, what waits',
    reply: json(KnownPropertyList),
    handle: (properties) => ({ properties: properties.known() }),
  }),
  setProperties: route({
    method: 'POST',
    path: '/ws/v2/config/properties',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Set several properties of the platform, all or none',
    body: jsonBody(PropertyList),
    refusals: [409],
    reply: empty,
    handle: (properties, { body }) => properties.post(body.properties),
  }),
  getProperty: route({
    method: 'GET',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read a property of the platform; secrets are masked',
    params: ref,
    refusals: [409],
    reply: json(ConfigPropertyReply),
    handle: (properties, { params }) => properties.get(params.PROPERTY_NAME),
  }),
  putProperty: route({
    method: 'PUT',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Set a property of the platform',
    params: ref,
    body: jsonBody(ConfigPropertyInput),
    refusals: [409],
    reply: empty,
    handle: (properties, { params, body }) => properties.put(params.PROPERTY_NAME, body),
  }),
  deleteProperty: route({
    method: 'DELETE',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Remove a property of the platform from the site files',
    params: ref,
    refusals: [409],
    reply: empty,
    handle: (properties, { params }) => properties.remove(params.PROPERTY_NAME),
  }),
};
