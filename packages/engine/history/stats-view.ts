import type { RunningApplication } from '../application.js';
import { containerViews, type HostGc } from '../views/containers.js';
import { physicalPlanView } from '../views/physical.js';
import type { StatsView } from './stats-recorder.js';

/** Containers that run, without the application master: that is the host's own process. */
export const statsViewOf = (application: RunningApplication, directory: string, gc: HostGc): StatsView => ({
  containers: () =>
    containerViews(application, directory, gc).filter(
      ({ containerType, finishedTime }) => containerType === 'STREAMING' && finishedTime < 0,
    ),
  operators: () => physicalPlanView(application).operators,
});
