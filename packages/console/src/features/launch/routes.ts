import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

export const launchRoute = createRoute({
  getParentRoute: () => framed,
  path: '/packages/$owner/$name/$version/apps/$app/launch',
  component: lazyRouteComponent(() => import('./launch.js')),
});
