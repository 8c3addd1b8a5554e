import { type ApplicationReport, ApplicationState, FinalStatus } from 'headgate/driver-kit';
import * as z from 'zod';

/** What a cluster said of an application when it was seen last. */
export interface Sighting {
  readonly report: ApplicationReport;
}

/** A report as it is kept. */
export const KeptReport = z.object({
  id: z.string(),
  name: z.string(),
  queue: z.string(),
  user: z.string(),
  state: ApplicationState,
  finalStatus: FinalStatus,
  clusterState: z.string().exactOptional(),
  startedTime: z.number(),
  finishedTime: z.number(),
  elapsedTime: z.number(),
  diagnostics: z.string(),
  trackingUrl: z.string(),
  applicationType: z.string(),
  currentAttemptId: z.string(),
  runningContainers: z.number(),
  allocatedMB: z.number(),
  allocatedVCores: z.number(),
  isSystemApp: z.boolean(),
  observedAt: z.number(),
});

/** One that the cluster told the end of. */
export const isOver = ({ report }: Sighting): boolean => report.finalStatus !== 'UNDEFINED';
