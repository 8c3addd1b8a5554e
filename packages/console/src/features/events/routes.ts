import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';
import { readEventsSearch } from './events-search.js';

export const eventsRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/events',
  validateSearch: readEventsSearch,
  component: lazyRouteComponent(() => import('./events.js')),
});
