import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';
import { readViewSearch } from './view-search.js';

export const logRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/containers/$cid/logs/$log',
  validateSearch: readViewSearch,
  component: lazyRouteComponent(() => import('./log.js')),
});
