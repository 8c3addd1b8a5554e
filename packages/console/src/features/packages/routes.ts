import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';
import { readListSearch, readPackageSearch } from './search.js';

export const packageListRoute = createRoute({
  getParentRoute: () => framed,
  path: '/packages',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./packages.js')),
});

export const packageRoute = createRoute({
  getParentRoute: () => framed,
  path: '/packages/$owner/$name/$version',
  validateSearch: readPackageSearch,
  component: lazyRouteComponent(() => import('./package.js')),
});
