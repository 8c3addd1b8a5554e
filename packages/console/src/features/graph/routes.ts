import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';
import { readGraphSearch } from './graph-search.js';

export const graphRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/graph',
  validateSearch: readGraphSearch,
  component: lazyRouteComponent(() => import('./graph.js')),
});
