import type { StatsView } from '../history/stats-recorder.js';
import type { RunningApplication } from '../running/application.js';
import { containerViews, type HostGc } from './containers.js';
import { physicalPlanView } from './physical.js';

/** Containers that run, without the application master: that is the host's own process. */
export const statsViewOf = (application: RunningApplication, directory: string, gc: HostGc): StatsView => ({
  containers: () =>
    containerViews(application, directory, gc).filter(
      ({ containerType, finishedTime }) => containerType === 'STREAMING' && finishedTime < 0,
    ),
  operators: () => physicalPlanView(application).operators,
});
