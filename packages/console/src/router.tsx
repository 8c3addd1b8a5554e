import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { rolesRoute, usersRoute } from './features/accounts/routes.js';
import {
  alertEditRoute,
  alertHistoryRoute,
  alertListRoute,
  alertTemplatesRoute,
} from './features/alerts/routes.js';
import { appDataRoute } from './features/app-data/routes.js';
import { applicationListRoute, applicationRoute } from './features/applications/routes.js';
import { auditRoute } from './features/audit/routes.js';
import { checkpointsRoute } from './features/checkpoints/routes.js';
import { clusterRoute } from './features/cluster/routes.js';
import {
  overviewRoute as administrationOverviewRoute,
  administrationRoute,
  authenticationRoute,
  issuesRoute,
  licensesRoute,
  mailRoute,
  propertiesRoute,
  usageRoute,
} from './features/configuration/routes.js';
import { containerListRoute, containerRoute } from './features/containers/routes.js';
import { editRoute } from './features/editor/routes.js';
import { eventsRoute } from './features/events/routes.js';
import { graphRoute } from './features/graph/routes.js';
import { launchRoute } from './features/launch/routes.js';
import { logRoute } from './features/logs/routes.js';
import { operatorRoutes } from './features/operators/routes.js';
import { overviewRoute } from './features/overview/routes.js';
import { packageListRoute, packageRoute } from './features/packages/routes.js';
import { applicationPermissionsRoute } from './features/permissions/routes.js';
import { profileRoute } from './features/profile/routes.js';
import { serviceListRoute, serviceRoute } from './features/services/routes.js';
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
    applicationRoute.addChildren([
      overviewRoute,
      graphRoute,
      ...operatorRoutes,
      containerListRoute,
      containerRoute,
      logRoute,
      checkpointsRoute,
      eventsRoute,
      appDataRoute,
      applicationPermissionsRoute,
    ]),
    packageListRoute,
    packageRoute,
    launchRoute,
    editRoute,
    alertListRoute,
    alertEditRoute,
    alertHistoryRoute,
    alertTemplatesRoute,
    clusterRoute,
    serviceListRoute,
    serviceRoute,
    topicsRoute,
    administrationRoute.addChildren([
      administrationOverviewRoute,
      usersRoute,
      rolesRoute,
      authenticationRoute,
      mailRoute,
      licensesRoute,
      usageRoute,
      propertiesRoute,
      issuesRoute,
      auditRoute,
    ]),
    profileRoute,
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
