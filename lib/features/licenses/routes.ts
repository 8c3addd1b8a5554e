import { textBody } from '../../http/body.js';
import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AddedLicense, CurrentLicense, License, LicenseId, LicenseList, LicenseUpload } from './schema.js';
import type { LicenseService } from './service.js';

const route = routeFor<LicenseService>();
/** A license has some hundred; what is larger is none, and need not be parsed to find out. */
const maxLicenseBytes = 64 * 1024;

export const licenseRoutes = {
  addLicense: route({
    method: 'POST',
    path: '/ws/v2/licenses',
    access: 'MANAGE_LICENSES',
    summary:
      'Upload a license file; it takes the place of the current one, or is refused and changes nothing',
    query: LicenseUpload,
    body: textBody({ maxBytes: maxLicenseBytes, contentTypes: ['*'] }),
    refusals: [409],
    reply: json(AddedLicense),
    handle: (licenses, { body, query }) => licenses.add(body, query),
  }),
  listLicenses: route({
    method: 'GET',
    path: '/ws/v2/licenses',
    access: 'VIEW_LICENSES',
    summary: 'List the licenses: the current one, or none',
    deprecated: 'use GET /ws/v2/licenses/current',
    reply: json(LicenseList),
    handle: async (licenses) => ({ licenses: await licenses.list() }),
  }),
  getLicense: route({
    method: 'GET',
    path: '/ws/v2/licenses/{id}',
    access: 'VIEW_LICENSES',
    summary: 'Read one license',
    params: LicenseId,
    reply: json(License),
    handle: (licenses, { params }) => licenses.get(params.id),
  }),
  getCurrentLicense: route({
    method: 'GET',
    path: '/ws/v2/licenses/current',
    access: 'user',
    summary: 'Tell how the license stands: limits, what is used of them, features',
    reply: json(CurrentLicense),
    handle: (licenses) => licenses.current(),
  }),
};
