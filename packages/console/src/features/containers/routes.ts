import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';

export const containerListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/containers',
  component: lazyRouteComponent(() => import('./containers.js')),
});

export const containerRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/containers/$cid',
  component: lazyRouteComponent(() => import('./container.js')),
});
