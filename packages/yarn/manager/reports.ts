import { KeptReport, type Sighting as SeenApplication } from '@headgate/history';
import { ApplicationState, FinalStatus } from 'headgate/driver-kit';
import * as z from 'zod';
import { attemptOf } from '../wire/ids.js';
import { readAnswer } from '../wire/json.js';
import { Quantity, Text } from '../wire/values.js';
import { managerName } from './client.js';

/** Older engines used the second one. */
export const applicationTypes: readonly string[] = ['ApacheApex', 'DataTorrent'];

export const activeStates = 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING';

const App = z.object({
  id: z.string(),
  name: Text,
  user: Text,
  queue: Text,
  state: ApplicationState,
  finalStatus: FinalStatus,
  trackingUrl: Text,
  diagnostics: Text,
  applicationType: Text,
  startedTime: Quantity,
  finishedTime: Quantity,
  elapsedTime: Quantity,
  /** Ends with the id of the master's container: the only place where the list tells the attempt. */
  amContainerLogs: Text,
  amHostHttpAddress: Text,
  allocatedMB: Quantity,
  allocatedVCores: Quantity,
  runningContainers: Quantity,
});
type App = z.output<typeof App>;

/** What the manager tells of an application, and where its master is. */
export interface Sighting extends SeenApplication {
  /** `host:port` of the node that the master runs on; `''`: not yet. */
  readonly masterNode: string;
  readonly masterLogs: string;
}

/** As it is kept over restarts of the gateway. */
export const KeptSighting = z.object({ masterNode: z.string(), masterLogs: z.string(), report: KeptReport });

const Apps = z.object({ apps: z.object({ app: z.array(z.unknown()).default([]) }).nullable() });
const OneApp = z.object({ app: App });

/** Entries that can't be understood are left out: one of them must not hide the others. */
export function sightingsIn(text: string, observedAt: number): Sighting[] {
  const { apps } = readAnswer(Apps, text, managerName);
  return (apps?.app ?? []).flatMap((entry) => {
    const app = App.safeParse(entry).data;
    return app && applicationTypes.includes(app.applicationType) ? [sightingOf(app, observedAt)] : [];
  });
}

/** `undefined` for an application of another type. */
export function sightingIn(text: string, observedAt: number): Sighting | undefined {
  const { app } = readAnswer(OneApp, text, managerName);
  return applicationTypes.includes(app.applicationType) ? sightingOf(app, observedAt) : undefined;
}

function sightingOf(app: App, observedAt: number): Sighting {
  const isOver = app.finalStatus !== 'UNDEFINED';
  return {
    masterNode: app.amHostHttpAddress,
    masterLogs: app.amContainerLogs,
    report: {
      id: app.id,
      name: app.name,
      queue: app.queue,
      user: app.user,
      state: app.state,
      finalStatus: app.finalStatus,
      startedTime: app.startedTime,
      finishedTime: isOver ? app.finishedTime : 0,
      elapsedTime: app.elapsedTime,
      diagnostics: app.diagnostics,
      trackingUrl: app.trackingUrl,
      applicationType: app.applicationType,
      currentAttemptId: attemptOf(app.amContainerLogs),
      runningContainers: isOver ? -1 : Math.max(0, app.runningContainers),
      allocatedMB: isOver ? -1 : Math.max(0, app.allocatedMB),
      allocatedVCores: isOver ? -1 : Math.max(0, app.allocatedVCores),
      isSystemApp: false,
      observedAt,
    },
  };
}
