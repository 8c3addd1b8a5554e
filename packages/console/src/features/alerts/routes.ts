import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';
import { readEditSearch, readHistorySearch, readTemplatesSearch } from './searches.js';

export const alertListRoute = createRoute({
  getParentRoute: () => framed,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts.js')),
});

export const alertEditRoute = createRoute({
  getParentRoute: () => framed,
  path: '/alerts/edit',
  validateSearch: readEditSearch,
  component: lazyRouteComponent(() => import('./edit.js')),
});

export const alertHistoryRoute = createRoute({
  getParentRoute: () => framed,
  path: '/alerts/history',
  validateSearch: readHistorySearch,
  component: lazyRouteComponent(() => import('./history.js')),
});

export const alertTemplatesRoute = createRoute({
  getParentRoute: () => framed,
  path: '/alerts/templates',
  validateSearch: readTemplatesSearch,
  component: lazyRouteComponent(() => import('./templates.js')),
});
