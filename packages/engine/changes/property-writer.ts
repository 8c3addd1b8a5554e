import type { OperatorAccess } from '@headgate/operators';
import {
  isSecretName,
  type Mutex,
  queueingSemaphore,
  StorageFailed,
  TooManyRequests,
} from 'headgate/driver-kit';
import type { Layout } from '../layout/layout.js';
import { firstWindowAfter, type WindowClock } from '../model/windows.js';
import type { OperatorSet, UsedProperties } from '../package-code/operator-set.js';
import type { PhysicalPlan } from '../plan/physical.js';
import {
  logicalChange,
  type PlanProperties,
  type Properties,
  type PropertyChange,
  partitionChange,
  placeInBody,
} from '../plan/property-change.js';
import { type PropertyHolder, propertiesInForce } from './properties-in-force.js';

/**
 * Changes properties of a running application. A change is checked as a whole, kept with the application's record, and
 * then told to the containers, which all take it over before the same window. One that starts meanwhile, or later,
 * begins with the new values.
 */
export interface PropertyWriter {
  /** In this window all that was written holds everywhere. */
  readonly holdsFrom: number;
  /** Of one physical operator. Nothing is changed when `signal` aborts before its turn comes. */
  writeOperator(operatorId: string, values: Properties, signal?: AbortSignal): Promise<void>;
  /** Of all partitions, and of those that are deployed later. */
  writeLogical(operatorName: string, values: Properties, signal?: AbortSignal): Promise<void>;
}

/** What is told of a change, besides being changed. */
interface WrittenApplication extends PropertyHolder {
  readonly layout: Layout;
  readonly clock: WindowClock;
  /** Changes of what runs, one after the other. */
  readonly inOrder: Mutex;
  event(type: string, data: Readonly<Record<string, string>>): void;
  /** Throws `Conflict`. */
  refuseWhenOver(): void;
}

interface PropertyWriterDeps {
  readonly state: WrittenApplication;
  readonly access: OperatorAccess;
  readonly verify: OperatorSet['verify'];
  /** Keeps the record; resolves whether that succeeded. */
  readonly keep: () => Promise<boolean>;
}

/** Time for an order to reach the containers before the window that it is meant for, milliseconds. */
const leadMillis = 250;
/** Changes that may be under way, most of them waiting for their turn, which a change of the plan or a slow disk holds up. */
const maxWaiting = 100;
const maxEventCharacters = 1000;

export function createPropertyWriter({ state, access, verify, keep }: PropertyWriterDeps): PropertyWriter {
  const inForce = propertiesInForce(state);
  let holdsFrom = 0;
  /** Whether the kept record may hold something else than `state`: a write that failed may have been made. */
  let isUnsure = false;

  const current = (): PlanProperties => ({
    plan: state.plan,
    physical: state.physical,
    own: state.record.partitionProperties ?? {},
  });

  const limited = queueingSemaphore(
    { permits: maxWaiting, queue: 0 },
    () => new TooManyRequests(`${maxWaiting} changes of properties are waiting for their turn`, 1),
  );

  const write = (
    changeOf: (properties: PlanProperties) => PropertyChange,
    signal: AbortSignal | undefined,
    report: (change: PropertyChange, name: string) => void,
  ): Promise<void> =>
    limited(() =>
      state.inOrder(async () => {
        signal?.throwIfAborted();
        state.refuseWhenOver();
        const change = changeOf(current());
        await verify(usedBy(change, state.physical));
        state.refuseWhenOver();
        if (change.changed.length > 0 || isUnsure) await carryOut(change);
        for (const name of change.changed) report(change, name);
      }),
    );

  async function carryOut(change: PropertyChange): Promise<void> {
    const undo = inForce.apply(change);
    isUnsure = !(await keep());
    if (!isUnsure) {
      holdsFrom = tellContainers(change, state);
      return;
    }
    undo();
    // Containers that started meanwhile have seen what was not kept.
    holdsFrom = tellContainers({ ...change, ...inForce.of(change) }, state);
    throw new StorageFailed('The change of properties could not be kept; nothing was changed');
  }

  return {
    get holdsFrom() {
      return holdsFrom;
    },
    writeOperator: (operatorId, values, signal) =>
      write(
        (properties) => partitionChange(properties, operatorId, values, access),
        signal,
        ({ operatorName, physical }, propertyName) =>
          state.event('SetPhysicalOperatorProperty', {
            operatorName,
            operatorId,
            propertyName,
            propertyValue: shown(propertyName, physical.get(operatorId)?.[propertyName]),
          }),
      ),
    writeLogical: (operatorName, values, signal) =>
      write(
        (properties) => logicalChange(properties, operatorName, values, access),
        signal,
        ({ logical }, propertyName) =>
          state.event('SetOperatorProperty', {
            operatorName,
            propertyName,
            propertyValue: shown(propertyName, logical[propertyName]),
          }),
      ),
  };
}

const usedBy = ({ physical }: PropertyChange, { operators }: PhysicalPlan): UsedProperties[] =>
  operators.flatMap(({ id, type: { className } }) => {
    const properties = physical.get(id);
    return properties ? [{ className, properties, place: placeInBody }] : [];
  });

/** Returns the window from which on all of them have the new values. */
function tellContainers(
  { operatorName, logical, physical }: PropertyChange,
  { clock, layout }: WrittenApplication,
): number {
  const window = firstWindowAfter(clock, leadMillis);
  const readers = [{ name: operatorName, properties: logical }];
  for (const slot of layout.slots) {
    const operators = layout.operatorsOn(slot).flatMap(({ operator: { id } }) => {
      const properties = physical.get(id);
      return properties ? [{ id, properties }] : [];
    });
    slot.agent?.send({ type: 'properties', window, operators, readers });
  }
  return window;
}

/** Events are read by more people than properties are, and kept. */
export function shown(name: string, value: unknown): string {
  if (isSecretName(name)) return '******';
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > maxEventCharacters ? `${text.slice(0, maxEventCharacters)}...` : text;
}
