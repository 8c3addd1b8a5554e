import { z } from 'zod';
import { jsonBody } from '../../core/body.js';
import { empty, json } from '../../core/reply.js';
import { routeFor } from '../../core/route.js';
import { ConfigProperties, ConfigProperty, PropertyInput, PropertyList, PropertyName } from './schema.js';
import type { PropertyService } from './service.js';

const route = routeFor<PropertyService>();
const ref = z.object({ PROPERTY_NAME: PropertyName });

/** Spec 4.4, `config/properties`. */
export const propertyRoutes = {
  listProperties: route({
    method: 'GET',
    path: '/ws/v2/config/properties',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'List the properties of the platform with their scopes; secrets are masked',
    reply: json(ConfigProperties),
    handle: (properties) => properties.list(),
  }),
  setProperties: route({
    method: 'POST',
    path: '/ws/v2/config/properties',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Set several properties of the platform, all or none',
    body: jsonBody(PropertyList),
    reply: empty,
    handle: (properties, { body }) => properties.post(body.properties),
  }),
  getProperty: route({
    method: 'GET',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'VIEW_GLOBAL_CONFIG',
    summary: 'Read a property of the platform; secrets are masked',
    params: ref,
    reply: json(ConfigProperty),
    handle: (properties, { params }) => properties.get(params.PROPERTY_NAME),
  }),
  putProperty: route({
    method: 'PUT',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Set a property of the platform',
    params: ref,
    body: jsonBody(PropertyInput),
    reply: empty,
    handle: (properties, { params, body }) => properties.put(params.PROPERTY_NAME, body),
  }),
  deleteProperty: route({
    method: 'DELETE',
    path: '/ws/v2/config/properties/{PROPERTY_NAME}',
    access: 'EDIT_GLOBAL_CONFIG',
    summary: 'Remove a property of the platform from the site files',
    params: ref,
    reply: empty,
    handle: (properties, { params }) => properties.remove(params.PROPERTY_NAME),
  }),
};
