import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { administrationRoute } from '../configuration/routes.js';
import { readAuditSearch } from './audit-search.js';

export const auditRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit.js')),
});
