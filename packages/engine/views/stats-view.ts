import type { StatsView } from '@headgate/history';
import type { HostGc } from '../processes/host-gc.js';
import { containerViews } from './containers.js';
import { physicalPlanView } from './physical.js';
import type { ViewedApplication } from './viewed-application.js';

/** Containers that run, without the application master: that is the host's own process. */
export const statsViewOf = (application: ViewedApplication, directory: string, gc: HostGc): StatsView => ({
  containers: () =>
    containerViews(application, directory, gc).filter(
      ({ containerType, finishedTime }) => containerType === 'STREAMING' && finishedTime < 0,
    ),
  operators: () => physicalPlanView(application).operators,
});
