import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';

export const appDataRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/data',
  component: lazyRouteComponent(() => import('./dashboard.js')),
});
