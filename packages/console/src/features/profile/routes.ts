import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

export const profileRoute = createRoute({
  getParentRoute: () => framed,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile.js')),
});
