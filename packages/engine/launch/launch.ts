import type { OperatorAccess } from '@headgate/operators';
import { BadRequest, type LaunchRequest, NotReady } from 'headgate/driver-kit';
import type { Applications } from '../applications/applications.js';
import { memoryOf } from '../layout/slots.js';
import type { Engine } from '../lifecycle/engine.js';
import type { PhysicalPlan } from '../plan/physical.js';
import { createPlanner } from '../plan/planner.js';
import type { LocalClusterSettings } from '../settings/options.js';
import type { ApplicationRecord } from '../store/record.js';
import type { ApplicationStore } from '../store/store.js';
import { queueName } from '../views/cluster.js';
import { startApplication } from './application-start.js';
import type { Capacity } from './capacity.js';
import { firstRecord } from './first-record.js';
import { definitionOf, type LaunchRequested, planLaunch } from './launch-plan.js';

export interface LaunchDeps {
  readonly settings: LocalClusterSettings;
  readonly store: ApplicationStore;
  readonly applications: Applications;
  readonly access: OperatorAccess;
  readonly capacity: Capacity;
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly isClosing: () => boolean;
}

/** Resolves the id. `from`: it goes on from the saved state of this application. */
export async function launchApplication(
  request: LaunchRequest,
  from: ApplicationRecord | undefined,
  deps: LaunchDeps,
): Promise<string> {
  const engine = deps.engine();
  if (deps.isClosing()) throw new NotReady('The local engine is closing');
  if (request.queue !== undefined && request.queue !== queueName)
    throw new BadRequest(
      'UNKNOWN_QUEUE',
      `There is no queue ${JSON.stringify(request.queue)}; the local engine has ${JSON.stringify(queueName)}`,
    );
  const definition = definitionOf(request);
  const { packageCode } = engine;
  const { operators, release } = request.packageContent
    ? await packageCode.operatorsFor(request.packageContent)
    : await packageCode.operatorsAgain(from?.packageCode);
  try {
    return await begin(engine, { request, definition, operators, from }, deps);
  } finally {
    release();
  }
}

async function begin(engine: Engine, requested: LaunchRequested, deps: LaunchDeps): Promise<string> {
  const { store, capacity } = deps;
  const { request, operators, from } = requested;
  const planner = createPlanner(operators, deps.access);
  const planned = await planLaunch(requested, planner);
  const { plan, physical } = planned;
  if (deps.isClosing()) throw new NotReady('The local engine is closing');
  const name = String(plan.attributes['APPLICATION_NAME'] ?? request.name);
  // Taken from here on, though nothing is listed before its record is kept.
  const letGo = capacity.claim(request.user, name, roomFor(physical, deps.settings));
  const id = engine.nextApplicationId();
  try {
    const record = firstRecord(id, name, requested, planned, engine.context.clock.now());
    await store.create(record);
    const initial = from && planned.initial && (await store.copyState(from.id, id, planned.initial));
    const launched = { record, plan, physical, initial, planner, operators, letGo };
    await startApplication(engine, launched, deps);
  } catch (error) {
    await store.remove(id);
    throw error;
  } finally {
    letGo();
  }
  engine.context.logger.info(
    { event: 'application.launched', appId: id, name, user: request.user },
    'Application launched',
  );
  return id;
}

const roomFor = (physical: PhysicalPlan, { containerMemoryMB }: LocalClusterSettings) => ({
  containers: physical.slots.length,
  memoryMB: physical.slots.reduce((sum, number) => sum + memoryOf(number, physical, containerMemoryMB), 0),
});
