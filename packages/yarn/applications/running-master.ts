import { type CallOptions, type Master, masterUrl } from 'headgate/driver-kit';
import type { ApplicationFiles } from '../facets/application-files.js';
import type { ClassDeclarations } from '../facets/class-declarations.js';
import { deployFacet, eventFacet, statsFacet } from '../facets/history.js';
import { type LogDeps, logFacet } from '../facets/logs.js';
import { operatorClassFacet } from '../facets/operator-classes.js';
import { attributeFacet, loggerFacet, planEditorFacet } from '../facets/plan.js';
import { propertyFacets } from '../facets/properties.js';
import { recorderFacet } from '../facets/recorder.js';
import type { StartedRecordings } from '../facets/started-recordings.js';
import type { Sighting } from '../manager/reports.js';
import type { MasterClient } from '../masters/client.js';
import { forClients } from '../views/containers.js';
import { Info, infoView } from '../views/info.js';
import {
  logicalOperatorView,
  logicalPlanView,
  MasterLogicalOperators,
  MasterLogicalPlan,
} from '../views/logical.js';
import { MasterPhysicalPlan, physicalPlanView, recordingsIn } from '../views/physical.js';
import type { MasterDetails } from './details.js';
import { runningContainers } from './running-containers.js';

interface RunningDeps {
  readonly sighting: Sighting;
  readonly client: MasterClient;
  readonly details: MasterDetails;
  readonly started: StartedRecordings;
  readonly declarations: ClassDeclarations;
  /** `info`: what the master has just told, when that is known. */
  filesOf(info: { readonly appPath: string } | undefined, signal?: AbortSignal): Promise<ApplicationFiles>;
  readonly logs: Pick<LogDeps, 'nodes' | 'http' | 'maxCopiedBytes'>;
  readonly ownAddress: string;
}

export function runningMaster(deps: RunningDeps): Master {
  const { client, sighting, details } = deps;
  const appId = sighting.report.id;
  const filesOf = (signal?: AbortSignal) => deps.filesOf(undefined, signal);

  const containers = runningContainers({ client, details, filesOf });

  return {
    async info({ signal }: CallOptions = {}) {
      const info = await client.get(Info, 'info', signal);
      await deps.filesOf(info, signal);
      return { ...infoView(info, deps.ownAddress), appMasterTrackingUrl: masterUrl(appId) };
    },
    async physicalPlan({ signal } = {}) {
      const plan = await client.get(MasterPhysicalPlan, 'physicalPlan', signal);
      const recordings = recordingsIn(plan);
      if (recordings.length > 0) await details.learnStarts(await filesOf(signal), recordings, signal);
      return physicalPlanView(plan, details.startOf);
    },
    logicalPlan: async ({ signal } = {}) =>
      logicalPlanView(await client.get(MasterLogicalPlan, 'logicalPlan', signal)),
    logicalOperators: async ({ signal } = {}) =>
      (await client.get(MasterLogicalOperators, 'logicalPlan/operators', signal)).operators.map(
        logicalOperatorView,
      ),
    containers: async ({ signal } = {}) =>
      (await containers.list(signal)).map((container) => forClients(container, appId)),
    async shutdown({ signal } = {}) {
      await client.post('shutdown', {}, signal);
    },
    containerControl: { kill: containers.kill },
    stackTraces: { read: containers.stackTrace },
    forwarder: client.forwarder,
    ...propertyFacets({
      master: client,
      declarations: deps.declarations,
      events: eventFacet(filesOf),
    }),
    planEditor: planEditorFacet(client),
    attributes: attributeFacet(client),
    loggers: loggerFacet(client),
    operatorClasses: operatorClassFacet(client),
    events: eventFacet(filesOf),
    deployHistory: deployFacet(filesOf),
    stats: statsFacet(filesOf, appId, false),
    recorder: recorderFacet({
      applicationId: appId,
      filesOf,
      running: { master: client, started: deps.started },
    }),
    logs: logFacet({ ...deps.logs, appId, user: sighting.report.user, containers: containers.list }),
  };
}
