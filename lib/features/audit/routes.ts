import { json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AuditFilter, AuditPage } from './schema.js';
import type { AuditService } from './service.js';

const route = routeFor<AuditService>();

export const auditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/ws/v2/audit',
    access: 'admin',
    summary: 'What was changed and what was refused, the newest first',
    query: AuditFilter,
    reply: json(AuditPage),
    handle: (audit, { query }) => audit.list(query),
  }),
};
