import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';

export const checkpointsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/checkpoints',
  component: lazyRouteComponent(() => import('./checkpoints.js')),
});
