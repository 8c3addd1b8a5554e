import type { CallOptions, Master } from 'headgate/driver-kit';
import { createAggregatedLogs } from '../facets/aggregated-logs.js';
import { type LogDeps, tooLarge } from '../facets/logs.js';
import { hasEnded, type YarnApplications } from '../manager/applications.js';
import type { Sighting } from '../manager/reports.js';
import type { Masters } from '../masters/client.js';
import type { YarnSettings } from '../settings/options.js';
import { endedMaster } from './ended-master.js';
import type { RunningApplications } from './running-applications.js';
import { runningMaster } from './running-master.js';

/** Milliseconds: what the manager said of an application is good for so long when its master is asked. */
const sightingGoodFor = 2000;

/** Finds the master of an application: the one that runs, or what it left when it ended. */
export function masterAccess(
  settings: YarnSettings,
  deps: {
    readonly applications: YarnApplications;
    readonly masters: Masters;
    readonly known: RunningApplications;
    readonly nodes: LogDeps['nodes'];
    /** For the nodes' logs. */
    readonly http: LogDeps['http'];
    readonly ownAddress: () => string;
  },
): (appId: string, options?: CallOptions) => Promise<Master> {
  const { applications, masters, known, nodes, http } = deps;
  const logs = { nodes, http, maxCopiedBytes: settings.limits.copiedLogBytes };
  const aggregated = aggregatedFrom(settings);

  function running(sighting: Sighting): Master {
    const application = known.of(sighting);
    return runningMaster({
      sighting,
      client: masters.of(sighting),
      details: application.details,
      started: application.started,
      declarations: application.declarations,
      logs,
      ownAddress: deps.ownAddress(),
      filesOf: async (info) => application.files(info),
    });
  }

  return async (appId, options) => {
    const sighting = await applications.recent(appId, sightingGoodFor, options);
    if (!hasEnded(sighting.report)) return running(sighting);
    return endedMaster({
      sighting,
      application: known.filesOf(appId),
      logs: { ...logs, ...(aggregated ? { aggregated } : {}) },
    });
  };
}

/** Logs of ended applications, where a command is given that reads them. */
const aggregatedFrom = ({ aggregatedLogs: command, limits, user, authorize }: YarnSettings) =>
  command &&
  createAggregatedLogs({
    command,
    limits,
    user: authorize ? undefined : user,
    maxBytes: limits.copiedLogBytes,
    tooLarge: (logName) => tooLarge(logName, limits.copiedLogBytes),
  });
