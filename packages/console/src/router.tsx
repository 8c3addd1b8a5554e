import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { applicationListRoute, applicationRoute } from './features/applications/routes.js';
import { editRoute } from './features/editor/routes.js';
import { launchRoute } from './features/launch/routes.js';
import { operatorRoutes } from './features/operators/routes.js';
import { packageListRoute, packageRoute } from './features/packages/routes.js';
import { loginRoute } from './features/session/routes.js';
import { topicsRoute } from './features/topics/routes.js';
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
    applicationRoute.addChildren([...operatorRoutes]),
    topicsRoute,
    packageListRoute,
    packageRoute,
    launchRoute,
    editRoute,
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
