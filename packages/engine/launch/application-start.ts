import { NotReady } from 'headgate/driver-kit';
import type { Applications } from '../applications/applications.js';
import { openHistory } from '../history/history.js';
import type { Engine } from '../lifecycle/engine.js';
import { containerId } from '../model/ids.js';
import type { OperatorSet } from '../package-code/operator-set.js';
import type { Plan } from '../plan/logical.js';
import type { PhysicalPlan } from '../plan/physical.js';
import type { Planner } from '../plan/planner.js';
import { recordAutomatically } from '../recordings/auto-record.js';
import { recorderOf } from '../recordings/recorder.js';
import { RunningApplication } from '../running/application.js';
import type { LocalClusterSettings } from '../settings/options.js';
import type { ApplicationRecord, SavedState } from '../store/record.js';
import type { ApplicationStore } from '../store/store.js';
import { statsViewOf } from '../views/stats-view.js';
import type { Capacity } from './capacity.js';

interface ApplicationStartDeps {
  readonly settings: LocalClusterSettings;
  readonly store: ApplicationStore;
  readonly applications: Applications;
  readonly capacity: Pick<Capacity, 'checkRoom'>;
  readonly isClosing: () => boolean;
}

interface LaunchedApplication {
  readonly record: ApplicationRecord;
  readonly plan: Plan;
  readonly physical: PhysicalPlan;
  /** In its own folder already. */
  readonly initial: SavedState | undefined;
  readonly planner: Planner;
  readonly operators: OperatorSet;
  /** It is counted among those that run. */
  readonly letGo: () => void;
}

/** Starts an application whose folder is there. It is listed as soon as its record and its plan are kept. */
export async function startApplication(
  { context, gc, sockets }: Engine,
  launch: LaunchedApplication,
  deps: ApplicationStartDeps,
): Promise<void> {
  const { settings, applications, capacity } = deps;
  const { id } = launch.record;
  const directory = deps.store.directoryOf(id);
  const history = await openHistory(directory, {
    ...settings.limits,
    masterId: containerId(id, 1),
    everyMillis: settings.statsIntervalMillis,
    now: () => context.clock.now(),
    onProblem: (err) =>
      context.logger.error(
        { event: 'application.history_lost', appId: id, err },
        'A part of the history of an application is lost',
      ),
  });
  const made = new RunningApplication({
    ...launch,
    settings,
    directory,
    socketDirectory: sockets,
    history,
    now: () => context.clock.now(),
    publish: (topic, data) => context.publish(id, topic, data),
    subscribe: (topic, receive) => context.subscribeFor(id, topic, receive),
    checkRoom: (slots) =>
      capacity.checkRoom({
        containers: slots.length,
        memoryMB: slots.reduce((sum, { memoryMB }) => sum + memoryMB, 0),
      }),
    onChange: applications.changed,
    onDeployed(application, deployed) {
      const maxRecordings = settings.limits.recordings;
      void recordAutomatically(
        deployed,
        recorderOf(application, { directory, maxRecordings }),
        (err, place) => {
          if (!application.state.isOver)
            context.logger.warn(
              { event: 'application.recording_not_started', appId: id, ...place, err },
              'A port with AUTO_RECORD is not recorded',
            );
        },
      );
    },
    onEnd: applications.ended,
  });
  await applications.keepFirst(made);
  if (deps.isClosing()) throw new NotReady('The local engine is closing');
  applications.add(made);
  launch.letGo();
  made.start();
  if (made.state.settings.ENABLE_STATS_RECORDING) history.stats.watch(statsViewOf(made, directory, gc));
}
