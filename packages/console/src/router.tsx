import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { appDataRoute } from './features/app-data/routes.js';
import { applicationListRoute, applicationRoute } from './features/applications/routes.js';
import { eventsRoute } from './features/events/routes.js';
import { overviewRoute } from './features/overview/routes.js';
import { applicationPermissionsRoute } from './features/permissions/routes.js';
import { loginRoute } from './features/session/routes.js';
import { consolePath } from './gateway/place.js';
import { framed, rootRoute } from './root-route.js';
import { Failure } from './shell/failure.js';
import { Placeholder } from './shell/loaded.js';

const firstPage = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/apps' });
  },
});

const routeTree = rootRoute.addChildren([
  firstPage,
  loginRoute,
  framed.addChildren([
    applicationListRoute,
    applicationRoute.addChildren([overviewRoute, eventsRoute, appDataRoute, applicationPermissionsRoute]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: consolePath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: Placeholder,
  defaultErrorComponent: ({ error, reset }) => (
    <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
