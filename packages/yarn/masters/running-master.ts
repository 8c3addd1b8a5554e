import {
  type CallOptions,
  Conflict,
  type Container,
  type ContainerControl,
  type Master,
  masterUrl,
  NotFound,
  ThreadDump,
} from 'headgate/driver-kit';
import { z } from 'zod';
import type { ApplicationFiles } from '../facets/application-files.js';
import type { ClassDeclarations } from '../facets/class-declarations.js';
import { deployFacet, eventFacet, statsFacet } from '../facets/history.js';
import { type LogDeps, logFacet } from '../facets/logs.js';
import { operatorClassFacet } from '../facets/operator-classes.js';
import { attributeFacet, loggerFacet, planEditorFacet } from '../facets/plan.js';
import { propertyFacet } from '../facets/properties.js';
import { recorderFacet } from '../facets/recorder.js';
import type { StartedRecordings } from '../facets/started-recordings.js';
import { isContainerId } from '../ids.js';
import type { Sighting } from '../manager/reports.js';
import { containerView, forClients, MasterContainers, withHistory } from '../views/containers.js';
import { Info, infoView } from '../views/info.js';
import {
  logicalOperatorView,
  logicalPlanView,
  MasterLogicalOperators,
  MasterLogicalPlan,
} from '../views/logical.js';
import { MasterPhysicalPlan, physicalPlanView, recordingsIn } from '../views/physical.js';
import { Id } from '../wire/values.js';
import type { MasterClient } from './client.js';
import type { MasterDetails } from './details.js';

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

const Threads = z.object({
  threads: z.array(
    z.object({ name: z.string(), state: z.string(), id: Id, stackTraceElements: z.array(z.string()) }),
  ),
});

export function runningMaster(deps: RunningDeps): Master {
  const { client, sighting, details } = deps;
  const appId = sighting.report.id;
  const filesOf = (signal?: AbortSignal) => deps.filesOf(undefined, signal);

  async function containers(signal?: AbortSignal): Promise<Container[]> {
    const told = (await client.get(MasterContainers, 'physicalPlan/containers', signal)).containers;
    // The master answers without its files too.
    const history = await details.history(await filesOf(signal), signal).catch(() => []);
    return withHistory(told.map(containerView), history);
  }

  async function known(containerId: string, signal: AbortSignal | undefined): Promise<Container> {
    const found = isContainerId(containerId)
      ? (await containers(signal)).find(({ id }) => id === containerId)
      : undefined;
    if (!found) throw new NotFound('container', containerId);
    return found;
  }

  const containerControl: ContainerControl = {
    async kill(containerId, { signal } = {}) {
      const { state } = await known(containerId, signal);
      if (state === 'KILLED')
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} has ended`);
      await client.post(`physicalPlan/containers/${containerId}/kill`, {}, signal);
    },
    async stackTrace(containerId, { signal } = {}) {
      const { state } = await known(containerId, signal);
      if (state !== 'ACTIVE')
        throw new Conflict('CONTAINER_NOT_RUNNING', `The container ${containerId} does not run (${state})`);
      const path = `physicalPlan/containers/${containerId}/stackTrace`;
      return ThreadDump.parse(await client.get(Threads, path, signal, 'slow'));
    },
  };

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
      (await containers(signal)).map((container) => forClients(container, appId)),
    async shutdown({ signal } = {}) {
      await client.post('shutdown', {}, signal);
    },
    containerControl,
    forwarder: client.forwarder,
    properties: propertyFacet({
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
    logs: logFacet({ ...deps.logs, appId, user: sighting.report.user, containers }),
  };
}
