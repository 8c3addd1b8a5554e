import {
  Conflict,
  type EventReader,
  InvalidInput,
  NotFound,
  type PropertyEditor,
  TimedOut,
  Unreachable,
  UnusableAnswer,
  undefinedIfUnknown,
} from 'headgate/driver-kit';
import { z } from 'zod';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators } from '../views/physical.js';
import { Values } from '../wire/values.js';
import type { ClassDeclarations, Declared } from './class-declarations.js';
import { type PartitionChange, withOwnChanges } from './partition-changes.js';
import { isSerializable } from './property-kinds.js';
import { propertyPathOf } from './property-paths.js';
import { problemsWith } from './property-problems.js';

const Operator = MasterOperators.shape.operators.element;
type Operator = z.output<typeof Operator>;
const Deployed = z.object({ className: z.string() });

type Named = Readonly<Record<string, unknown>>;

interface PropertyDeps {
  readonly master: MasterClient;
  readonly declarations: ClassDeclarations;
  readonly events: EventReader;
}

/** Events that are looked through for what was set of one partition alone. */
const eventsRead = 1000;
/** What the base class of operators has, and descriptions of classes leave out. */
const undeclared: readonly string[] = ['class', 'name'];

/**
 * Everything is taken from the master's own record, which is what operators were given. A container is asked only when
 * the caller says so: it sends its answer by Java's serialization, and a value of a class that can't be sent so ends the
 * container's process, with the operators in it.
 *
 * The engine ignores properties that there are not, and makes 0 of what is no number, in silence; a value that it can't
 * set it writes down before it fails. So the record and the class are looked at before something is changed.
 */
export function propertyFacet({ master, declarations, events }: PropertyDeps): PropertyEditor {
  const operatorPath = (id: string) => `physicalPlan/operators/${encodeURIComponent(id)}`;
  const logicalPath = (name: string) => `logicalPlan/operators/${encodeURIComponent(name)}`;
  const logicalName = (operator: Operator) => operator.logicalName ?? operator.name;

  const operatorOf = async (id: string, signal: AbortSignal | undefined) => {
    const found = /^\d{1,15}$/.test(id)
      ? await master.get(Operator, operatorPath(id), signal).catch(undefinedIfUnknown)
      : undefined;
    if (!found) throw new NotFound('physical operator', id);
    return found;
  };

  async function readLogical(name: string, signal: AbortSignal | undefined) {
    const values = await master
      .get(Values, `${logicalPath(name)}/properties`, signal)
      .catch(undefinedIfUnknown);
    if (!values) throw new NotFound('operator', name);
    return values;
  }

  async function readRecorded(operator: Operator, signal: AbortSignal | undefined): Promise<Named> {
    const { class: _, ...recorded } = await readLogical(logicalName(operator), signal);
    const told = await events.read({ offset: 0, limit: eventsRead }, signal ? { signal } : {});
    const changes = told.map(({ type, data }): PartitionChange => ({ type, data }));
    return withOwnChanges(recorded, changes, { id: operator.id, logicalName: logicalName(operator) });
  }

  /** Rejects with `Conflict` when the answer might end the container. */
  async function readLive(
    operator: Operator,
    only: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Named> {
    const what = `The operator ${operator.name} (${operator.id})`;
    if (operator.status !== 'ACTIVE') throw new Unreachable(what);
    const recorded = await readLogical(logicalName(operator), signal);
    if (only !== undefined) requireKnown([only], recorded);
    const declared = await declarations.of(master, operator.className, signal);
    const dangerous = (only === undefined ? Object.keys(recorded) : [only]).filter(
      (name) => !isSafe(name, declared),
    );
    if (dangerous.length > 0)
      throw new Conflict(
        'PROPERTY_NOT_READABLE',
        `${what} can't be asked for ${dangerous.join(', ')}: values whose class is not known to be sent safely may end its container. Ask for one other property by propertyName, or without live`,
        { properties: dangerous },
      );
    const query = only === undefined ? '' : `?${new URLSearchParams({ propertyName: only })}`;
    const { class: _, ...values } = await master
      .get(Values, `${operatorPath(operator.id)}/properties${query}`, signal, 'live')
      .catch((error: unknown) => {
        // The container did not answer the master in time, or the master waits for others before.
        if (error instanceof UnusableAnswer || error instanceof TimedOut) throw new TimedOut(what);
        throw error;
      });
    if (Object.keys(values).length === 0) throw new TimedOut(what);
    return values;
  }

  async function requireFitting(
    values: Named,
    recorded: Named,
    className: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    requireKnown(
      Object.keys(values).map((name) => propertyPathOf(name).head),
      recorded,
    );
    const declared = await declarations.of(master, className, signal);
    const issues = problemsWith(values, recorded, declared);
    if (issues.length > 0) throw new InvalidInput(issues);
  }

  return {
    async readOperator(id, { live = false, propertyName, signal } = {}) {
      const operator = await operatorOf(id, signal);
      return live ? readLive(operator, propertyName, signal) : readRecorded(operator, signal);
    },
    readLogical: (name, { signal } = {}) => readLogical(name, signal),

    async writeOperator(id, values, { signal } = {}) {
      const operator = await operatorOf(id, signal);
      const recorded = await readLogical(logicalName(operator), signal);
      const own = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, value ?? recorded[name] ?? null]),
      );
      await requireFitting(own, recorded, operator.className, signal);
      await master.post(`${operatorPath(id)}/properties`, own, signal);
    },

    async writeLogical(name, values, { signal } = {}) {
      const recorded = await readLogical(name, signal);
      const { className } = await master.get(Deployed, logicalPath(name), signal);
      await requireFitting(values, recorded, className, signal);
      await master.post(`${logicalPath(name)}/properties`, values, signal);
    },
  };
}

function isSafe(name: string, declared: Declared | undefined): boolean {
  const property = declared?.get(name);
  return property ? isSerializable(property) : declared !== undefined && undeclared.includes(name);
}

function requireKnown(names: readonly string[], known: Named): void {
  const unknown = names.find((name) => name === 'class' || !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new NotFound(
      'property',
      unknown,
      Object.keys(known).filter((name) => name !== 'class'),
    );
}
