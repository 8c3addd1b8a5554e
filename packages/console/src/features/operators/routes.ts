import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { applicationRoute } from '../applications/routes.js';
import { readFlameSearch, readListSearch, readRecordingSearch } from './search.js';

const operatorListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/operators',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./operators.js')),
});

const operatorRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/operators/$name',
  validateSearch: readFlameSearch,
  component: lazyRouteComponent(() => import('./operator.js')),
});

/** The id of a partition may end with its container; the name stays. */
const partitionRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/operators/$name/partitions/$opId',
  component: lazyRouteComponent(() => import('./partition.js')),
});

const portRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/operators/$name/ports/$port',
  component: lazyRouteComponent(() => import('./port.js')),
});

const recordingListRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/recordings',
  component: lazyRouteComponent(() => import('./recordings/recordings.js')),
});

const recordingRoute = createRoute({
  getParentRoute: () => applicationRoute,
  path: '/operators/$name/partitions/$opId/recordings/$rec',
  validateSearch: readRecordingSearch,
  component: lazyRouteComponent(() => import('./recordings/recording.js')),
});

export const operatorRoutes = [
  operatorListRoute,
  operatorRoute,
  partitionRoute,
  portRoute,
  recordingListRoute,
  recordingRoute,
] as const;
