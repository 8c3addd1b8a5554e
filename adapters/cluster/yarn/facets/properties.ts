import { z } from 'zod';
import {
  InvalidInput,
  NotFound,
  type PropertyEditor,
  TimedOut,
  Unreachable,
  undefinedIfUnknown,
} from '../../../../lib/index.js';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators } from '../views/physical.js';
import { Values } from '../wire/values.js';

const Operator = MasterOperators.shape.operators.element;
const Partitions = z.object({ partitions: z.array(z.union([z.string(), z.number().transform(String)])) });

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

  async function readLive(id: string, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
    const { class: _, ...values } = await master.get(Values, `${operatorPath(id)}/properties`, signal);
    return values;
  }

  async function readOperator(id: string, signal: AbortSignal | undefined) {
    const operator = await operatorOf(id, signal);
    if (operator.status !== 'ACTIVE') throw new Unreachable(`The operator ${operator.name} (${id})`);
    const values = await readLive(id, signal);
    if (Object.keys(values).length > 0) return values;
    // Also what a master answers for a container that did not.
    const { class: _, ...known } = await readLogical(operator.logicalName ?? operator.name, signal);
    if (Object.keys(known).length > 0) throw new TimedOut(`The operator ${operator.name} (${id})`);
    return values;
  }

  return {
    readOperator: (id, { signal } = {}) => readOperator(id, signal),
    readLogical: (name, { signal } = {}) => readLogical(name, signal),

    async writeOperator(id, values, { signal } = {}) {
      const operator = await operatorOf(id, signal);
      const logical = await readLogical(operator.logicalName ?? operator.name, signal);
      requireKnown(values, logical);
      requireFitting(values, await readOperator(id, signal));
      const own = Object.entries(values).map(([name, value]) => [name, value ?? logical[name]]);
      await master.post(`${operatorPath(id)}/properties`, Object.fromEntries(own), signal);
    },

    async writeLogical(name, values, { signal } = {}) {
      requireKnown(values, await readLogical(name, signal));
      const { partitions } = await master.get(Partitions, logicalPath(name), signal);
      const [first] = partitions;
      // Only to know of what kind the values are: one that does not answer must not prevent the change.
      const live = first === undefined ? {} : await readLive(first, signal).catch(() => ({}));
      requireFitting(values, live);
      await master.post(`${logicalPath(name)}/properties`, values, signal);
    },
  };
}

type Named = Readonly<Record<string, unknown>>;

function requireKnown(values: Named, known: Named): void {
  const unknown = Object.keys(values).find((name) => name === 'class' || !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new NotFound(
      'property',
      unknown,
      Object.keys(known).filter((name) => name !== 'class'),
    );
}

function requireFitting(values: Named, live: Named): void {
  const issues = Object.entries(values).flatMap(([name, value]) => {
    if (value === null || !Object.hasOwn(live, name)) return [];
    const kind = typeof live[name];
    const fits =
      kind === 'number'
        ? String(value).trim() !== '' && Number.isFinite(Number(value))
        : kind !== 'boolean' || /^(?:true|false)$/i.test(String(value));
    return fits ? [] : [{ path: `body.${name}`, message: `expected a ${kind}` }];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}
