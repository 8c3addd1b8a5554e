import {
  BadRequest,
  Conflict,
  type LoggerMatch,
  type Master,
  type MasterInfo,
  masterUrl,
  NotFound,
} from 'headgate/driver-kit';
import { historyFacets } from '../history/history.js';
import { levelOf, severities } from '../model/log-levels.js';
import { ancestorsOf } from '../operators/ancestors.js';
import { describeClass } from '../operators/class-description.js';
import type { OperatorRegistry } from '../operators/registry.js';
import { settingsOf } from '../plan/attributes.js';
import type { HostGc } from '../processes/host-gc.js';
import { recorderOf, recorderOfEnded } from '../recordings/recorder.js';
import type { RunningApplication } from '../running/application.js';
import type { ApplicationRecord } from '../store/record.js';
import type { Snapshot } from '../store/snapshot.js';
import { containerViews } from '../views/containers.js';
import { countersByName } from '../views/counters.js';
import { dataSourcesOf } from '../views/data-sources.js';
import { logicalOperatorsView, logicalPlanView } from '../views/logical.js';
import { physicalPlanView } from '../views/physical.js';
import { statsOf } from '../views/summary.js';
import type { ViewedApplication, ViewedState } from '../views/viewed-application.js';
import { attributeReader } from './attribute-facet.js';
import { logReader } from './log-reader.js';
import { keptProperties, propertyEditor, withUnset } from './property-facet.js';
import { stackTraceOf } from './stack-trace.js';

export interface MasterDeps {
  readonly directory: string;
  readonly version: string;
  readonly registry: () => Promise<OperatorRegistry>;
  readonly gc: HostGc;
  readonly maxRecordings: number;
}

/** Loggers of every container besides those of its operators. */
const engineLoggers = ['headgate.engine.Container'];

export function runningMaster(application: RunningApplication, deps: MasterDeps): Master {
  const { state } = application;
  return {
    info: async () => ({
      ...infoOf(snapshotOf(application, deps), deps),
      appMasterTrackingUrl: masterUrl(state.record.id),
      stats: statsOf(application),
      dataSources: dataSourcesOf(state),
    }),
    physicalPlan: async () => physicalPlanView(application),
    logicalPlan: async () => logicalPlanView(state),
    logicalOperators: async () => logicalOperatorsView(state, physicalPlanView(application).operators),
    containers: async () => containerViews(application, deps.directory, deps.gc),
    shutdown: async () => application.shutdown(),
    properties: propertyEditor(application),
    physicalProperties: {
      write: (operatorId, values, options) =>
        application.properties.writeOperator(operatorId, values, options?.signal),
    },
    attributes: attributeReader(() => ({
      attributes: attributesOf(state),
      logicalPlan: logicalPlanView(state),
    })),
    containerControl: { kill: async (id) => application.killContainer(id) },
    stackTraces: { read: (id) => stackTraceOf(application.containers, id) },
    planEditor: { change: (requests, options) => application.changePlan(requests, options?.signal) },
    loggers: {
      list: async () => state.loggers.map(({ target, logLevel }) => setting(target, logLevel)),
      set: async (settings) => application.setLoggers(settings),
      levels: async () => levelsOf(state),
    },
    ...historyFacets(deps.directory, {
      id: state.record.id,
      history: state.history,
      operators: () => state.physical.operators,
    }),
    recorder: recorderOf(application, deps),
    logs: logReader(deps.directory, () => state.history.log.settled()),
    operatorClasses: classReader(deps.registry),
  };
}

/** Tells what was kept, and refuses changes. */
export function endedMaster(record: ApplicationRecord, snapshot: Snapshot, deps: MasterDeps): Master {
  const refuse = async (): Promise<never> => {
    throw new Conflict('APPLICATION_ENDED', `The application ${record.id} has ended`);
  };
  return {
    info: async () => ({ ...infoOf(snapshot, deps), stats: snapshot.stats ?? null }),
    physicalPlan: async () => snapshot.physicalPlan,
    logicalPlan: async () => snapshot.logicalPlan,
    logicalOperators: async () => snapshot.logicalOperators,
    containers: async () => snapshot.containers,
    shutdown: refuse,
    properties: keptProperties(snapshot, deps.registry, refuse),
    physicalProperties: { write: refuse },
    attributes: attributeReader(() => snapshot),
    containerControl: { kill: refuse },
    stackTraces: { read: refuse },
    planEditor: { change: refuse },
    loggers: { list: async () => [], set: refuse, levels: async () => [] },
    ...historyFacets(deps.directory, {
      id: record.id,
      operators: () => snapshot.physicalPlan.operators,
    }),
    recorder: recorderOfEnded(record.id, snapshot.physicalPlan, deps),
    logs: logReader(deps.directory),
    operatorClasses: classReader(deps.registry),
  };
}

export function snapshotOf(
  application: ViewedApplication,
  deps: Pick<MasterDeps, 'directory' | 'gc'>,
): Snapshot {
  const { state } = application;
  const physicalPlan = physicalPlanView(application);
  return {
    containers: containerViews(application, deps.directory, deps.gc),
    physicalPlan,
    logicalPlan: logicalPlanView(state),
    logicalOperators: logicalOperatorsView(state, physicalPlan.operators),
    attributes: attributesOf(state),
    properties: Object.fromEntries(
      state.physical.operators.map(({ id, type, properties }) => [id, withUnset(type, properties)]),
    ),
    metrics: countersByName(state.operators),
    stats: statsOf(application),
  };
}

const attributesOf = ({ plan, record }: ViewedState) => ({
  ...settingsOf(plan.attributes),
  APPLICATION_NAME: record.name,
  APPLICATION_ID: record.id,
});

const infoOf = (snapshot: Snapshot, deps: MasterDeps): Omit<MasterInfo, 'stats'> => ({
  appPath: deps.directory,
  appMasterTrackingUrl: '',
  version: deps.version,
  // The engine runs inside the gateway's process: whoever asks knows the address.
  gatewayAddress: '',
  gatewayConnected: true,
  connectedToThisGateway: true,
  dataSources: [],
  metrics: snapshot.metrics,
  attributes: snapshot.attributes,
});

function levelsOf({ physical, loggers }: RunningApplication['state']): LoggerMatch[] {
  const names = new Set([...engineLoggers, ...physical.operators.map(({ type }) => type.className)]);
  return [...names].sort().map((name) => ({ name, level: levelOf(loggers, name) }));
}

function setting(target: string, logLevel: string) {
  const level = Object.keys(severities).find((known): known is keyof typeof severities => known === logLevel);
  if (!level) throw new BadRequest('UNKNOWN_VALUE', `${logLevel} is no log level`);
  return { target, logLevel: level };
}

function classReader(known: MasterDeps['registry']): NonNullable<Master['operatorClasses']> {
  return {
    list: async ({ parent, q }) => {
      const registry = await known();
      const base = parent === undefined ? undefined : registry.get(parent);
      if (parent !== undefined && !base) throw new NotFound('operator class', parent);
      return [...registry.values()]
        .filter((type) => !base || type === base || ancestorsOf(type).includes(base.className))
        .map(({ className }) => className)
        .filter((name) => q === undefined || name.toLowerCase().includes(q.toLowerCase()))
        .sort();
    },
    describe: async (className) => {
      const type = (await known()).get(className);
      if (!type) throw new NotFound('operator class', className);
      return describeClass(type);
    },
  };
}
