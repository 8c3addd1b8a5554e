import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';
import { readListSearch } from './list-search.js';

export const applicationListRoute = createRoute({
  getParentRoute: () => framed,
  path: '/apps',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./applications.js')),
});

/** Around all screens of one application: its title line and its tabs. Their routes name it as their parent. */
export const applicationRoute = createRoute({
  getParentRoute: () => framed,
  path: '/apps/$id',
  component: lazyRouteComponent(() => import('./application.js')),
});
