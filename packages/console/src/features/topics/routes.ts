import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

/** A name may hold anything, so it stands in the query. */
export const topicsRoute = createRoute({
  getParentRoute: () => framed,
  path: '/topics',
  validateSearch: (search: Record<string, unknown>): { topic?: string; q?: string } => ({
    ...(typeof search['topic'] === 'string' ? { topic: search['topic'] } : {}),
    ...(typeof search['q'] === 'string' && search['q'] !== '' ? { q: search['q'] } : {}),
  }),
  component: lazyRouteComponent(() => import('./topics.js')),
});
