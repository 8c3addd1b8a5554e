import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { administrationRoute } from '../configuration/routes.js';

const readFilter = ({ q }: Record<string, unknown>): { readonly q?: string } =>
  (typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {};

export const usersRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/users',
  validateSearch: readFilter,
  component: lazyRouteComponent(() => import('./users.js')),
});

export const rolesRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/roles',
  component: lazyRouteComponent(() => import('./roles.js')),
});
