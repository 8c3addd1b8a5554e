import { Conflict, type Master } from 'headgate/driver-kit';
import type { ApplicationFiles } from '../facets/application-files.js';
import { masterFailure } from '../facets/failure.js';
import { deployFacet, eventFacet, statsFacet } from '../facets/history.js';
import { type LogDeps, logFacet } from '../facets/logs.js';
import { recorderFacet } from '../facets/recorder.js';
import type { Sighting } from '../manager/reports.js';
import { endedContainer, forClients, masterContainerOf } from '../views/containers.js';
import { withoutSecrets } from '../views/info.js';

interface EndedDeps {
  readonly sighting: Sighting;
  readonly application: ApplicationFiles;
  readonly logs: Pick<LogDeps, 'nodes' | 'http' | 'maxCopiedBytes' | 'aggregated'>;
}

/** What an application left in its folder; what only its master could tell is gone with that. */
export function endedMaster({ sighting, application, logs }: EndedDeps): Master {
  const { id, user } = sighting.report;
  const gone = async (): Promise<never> => {
    throw new Conflict('APPLICATION_ENDED', `The application ${id} has ended, and its master with it`);
  };
  const filesOf = async () => application;
  const containers = async (signal?: AbortSignal) => {
    const written = (await application.containers(signal)).map(endedContainer);
    // A master that failed at its start wrote nothing, but its logs are there.
    const master = masterContainerOf(sighting);
    const isKnown = !master || written.some(({ id }) => id === master.id);
    return isKnown ? written : [...written, master];
  };
  const logReader = logFacet({ ...logs, appId: id, user, containers });

  return {
    async info({ signal } = {}) {
      const meta = await application.meta(signal);
      const attributes = meta?.attributes ?? {};
      const names = Object.entries(meta?.metrics ?? {});
      return {
        appPath: String(attributes['APPLICATION_PATH'] ?? application.folder),
        appMasterTrackingUrl: '',
        version: '',
        gatewayAddress: String(attributes['GATEWAY_CONNECT_ADDRESS'] ?? ''),
        gatewayConnected: false,
        connectedToThisGateway: false,
        dataSources: [],
        metrics: Object.fromEntries(
          names.map(([operator, metrics]) => [
            operator,
            Object.fromEntries(metrics.map((name) => [name, null])),
          ]),
        ),
        attributes: withoutSecrets(attributes),
        stats: null,
      };
    },
    physicalPlan: gone,
    logicalPlan: gone,
    logicalOperators: gone,
    containers: async ({ signal } = {}) =>
      (await containers(signal)).map((container) => forClients(container, id)),
    shutdown: gone,
    async failure(options) {
      const master = masterContainerOf(sighting);
      return master && masterFailure(logReader, master.id, options);
    },
    forwarder: { target: gone },
    containerControl: { kill: gone },
    stackTraces: { read: gone },
    properties: { readOperator: gone, readLogical: gone, writeLogical: gone },
    physicalProperties: { write: gone },
    planEditor: { change: gone },
    attributes: {
      application: async ({ signal } = {}) =>
        withoutSecrets((await application.meta(signal))?.attributes ?? {}),
      operator: gone,
      port: gone,
    },
    loggers: { list: async () => [], set: gone, levels: async () => [] },
    operatorClasses: { list: gone, describe: gone },
    events: eventFacet(filesOf),
    deployHistory: deployFacet(filesOf),
    stats: statsFacet(filesOf, id, true),
    recorder: recorderFacet({ applicationId: id, filesOf }),
    logs: logReader,
  };
}
