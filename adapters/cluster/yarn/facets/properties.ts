import { z } from 'zod';
import {
  type InputIssue,
  InvalidInput,
  NotFound,
  type PropertyEditor,
  TimedOut,
  Unreachable,
  undefinedIfUnknown,
} from '../../../../lib/index.js';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators } from '../views/physical.js';
import { readAnswer } from '../wire/json.js';
import { Values } from '../wire/values.js';
import { describeClass } from './operator-classes.js';
import { kindOfType, kindsIn, longNumber, type PropertyKind } from './property-kinds.js';

const Operator = MasterOperators.shape.operators.element;
const Deployed = z.object({
  className: z.string(),
  partitions: z.array(z.union([z.string(), z.number().transform(String)])),
});

/** Milliseconds that a change waits for what a class declares. */
const declarationPatience = 4000;

type Named = Readonly<Record<string, unknown>>;
type Kinds = ReadonlyMap<string, PropertyKind>;

/**
 * The engine ignores properties that there are not, and makes 0 of what is no number, in silence: so what is there is
 * read before it is written. It tells values of a logical operator as text, those of a running one as they are.
 */
export function propertyFacet(master: MasterClient): PropertyEditor {
  const operatorPath = (id: string) => `physicalPlan/operators/${encodeURIComponent(id)}`;
  const logicalPath = (name: string) => `logicalPlan/operators/${encodeURIComponent(name)}`;

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

  async function readLive(id: string, signal: AbortSignal | undefined) {
    const text = await master.text(`${operatorPath(id)}/properties`, signal);
    const { class: _, ...values } = readAnswer(Values, text, master.name);
    return { values, kinds: kindsIn(text) };
  }

  async function readOperator(id: string, signal: AbortSignal | undefined) {
    const operator = await operatorOf(id, signal);
    if (operator.status !== 'ACTIVE') throw new Unreachable(`The operator ${operator.name} (${id})`);
    const live = await readLive(id, signal);
    if (Object.keys(live.values).length > 0) return live;
    // Also what a master answers for a container that did not.
    const { class: _, ...known } = await readLogical(operator.logicalName ?? operator.name, signal);
    if (Object.keys(known).length > 0) throw new TimedOut(`The operator ${operator.name} (${id})`);
    return live;
  }

  /** What its class declares; nothing when the master can't tell that. */
  async function declaredKinds(className: string, signal: AbortSignal | undefined): Promise<Kinds> {
    const limit = AbortSignal.timeout(declarationPatience);
    const limited = signal ? AbortSignal.any([signal, limit]) : limit;
    const description = await describeClass(master, className, limited).catch(() => undefined);
    return new Map(
      (description?.properties ?? []).flatMap(({ name, type }) => {
        const kind = kindOfType(type);
        return kind ? [[name, kind]] : [];
      }),
    );
  }

  async function requireFitting(
    values: Named,
    live: Kinds,
    className: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // The declaration is asked for only where the value does not tell enough: a master takes seconds to find it first.
    const isOpen = Object.entries(values).some(
      ([name, value]) => value !== null && (live.size === 0 || isLong(live.get(name), value)),
    );
    const declared: Kinds = isOpen ? await declaredKinds(className, signal) : new Map();
    const issues = problemsWith(values, (name) => declared.get(name) ?? live.get(name));
    if (issues.length > 0) throw new InvalidInput(issues);
  }

  return {
    readOperator: async (id, { signal } = {}) => (await readOperator(id, signal)).values,
    readLogical: (name, { signal } = {}) => readLogical(name, signal),

    async writeOperator(id, values, { signal } = {}) {
      const operator = await operatorOf(id, signal);
      const logical = await readLogical(operator.logicalName ?? operator.name, signal);
      requireKnown(values, logical);
      const { kinds } = await readOperator(id, signal);
      await requireFitting(values, kinds, operator.className, signal);
      const own = Object.entries(values).map(([name, value]) => [name, value ?? logical[name]]);
      await master.post(`${operatorPath(id)}/properties`, Object.fromEntries(own), signal);
    },

    async writeLogical(name, values, { signal } = {}) {
      requireKnown(values, await readLogical(name, signal));
      const { partitions, className } = await master.get(Deployed, logicalPath(name), signal);
      const [first] = partitions;
      // Only to know of what kind the values are: one that does not answer must not prevent the change.
      const live = first === undefined ? undefined : await readLive(first, signal).catch(() => undefined);
      await requireFitting(values, live?.kinds ?? new Map(), className, signal);
      await master.post(`${logicalPath(name)}/properties`, values, signal);
    },
  };
}

function requireKnown(values: Named, known: Named): void {
  const unknown = Object.keys(values).find((name) => name === 'class' || !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new NotFound(
      'property',
      unknown,
      Object.keys(known).filter((name) => name !== 'class'),
    );
}

const isLong = (kind: PropertyKind | undefined, value: unknown): boolean =>
  kind === longNumber && Math.abs(Number(value)) >= 2 ** 31;

/** `null` stands for the default. */
const problemsWith = (values: Named, kindOf: (name: string) => PropertyKind | undefined): InputIssue[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const kind = kindOf(name);
    if (value === null || !kind || kind.fits(value)) return [];
    return [{ path: `body.${name}`, message: `expected ${kind.name}` }];
  });
