import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

export const clusterRoute = createRoute({
  getParentRoute: () => framed,
  path: '/cluster',
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: lazyRouteComponent(() => import('./cluster.js')),
});
