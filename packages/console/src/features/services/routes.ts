import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

export const serviceListRoute = createRoute({
  getParentRoute: () => framed,
  path: '/services',
  component: lazyRouteComponent(() => import('./services.js')),
});

/** The name stands in the query: names may hold what a path would not bring here. */
export const serviceRoute = createRoute({
  getParentRoute: () => framed,
  path: '/services/detail',
  validateSearch: ({ name }: Record<string, unknown>): { readonly name: string } => ({
    name: typeof name === 'string' || typeof name === 'number' ? String(name) : '',
  }),
  component: lazyRouteComponent(() => import('./service.js')),
});
