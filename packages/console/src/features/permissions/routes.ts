import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';

export const applicationPermissionsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/permissions',
  component: lazyRouteComponent(() => import('./permissions.js')),
});
