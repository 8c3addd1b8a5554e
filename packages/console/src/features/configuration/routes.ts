import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';
import { readPropertySearch } from './property-rows.js';

/** Around all screens of the administration: their tabs, and what waits for a restart. */
export const administrationRoute = createRoute({
  getParentRoute: () => framed,
  path: '/admin',
  component: lazyRouteComponent(() => import('./administration.js')),
});

export const overviewRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview.js')),
});

export const authenticationRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/auth',
  component: lazyRouteComponent(() => import('./authentication.js')),
});

export const mailRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/mail',
  component: lazyRouteComponent(() => import('./mail.js')),
});

export const licensesRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/licenses',
  component: lazyRouteComponent(() => import('./licenses.js')),
});

export const usageRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage.js')),
});

export const propertiesRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/properties',
  validateSearch: readPropertySearch,
  component: lazyRouteComponent(() => import('./properties.js')),
});

export const issuesRoute = createRoute({
  getParentRoute: () => administrationRoute,
  path: '/issues',
  component: lazyRouteComponent(() => import('./issues.js')),
});
