import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readRange } from '../../shell/time-range.js';
import { applicationRoute } from '../applications/routes.js';

/** What the address of an application shows by itself. */
export const overviewRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/',
  validateSearch: readRange,
  component: lazyRouteComponent(() => import('./overview.js')),
});
