import { isDeepStrictEqual } from 'node:util';
import type { Operator, OperatorClass } from '@headgate/operators';
import { messageOf } from '@headgate/operators/engine';
import * as z from 'zod';

type Properties = Operator['properties'];

const Kept = z.object({ state: z.unknown(), properties: z.record(z.string(), z.unknown()) });

/** A checkpoint holds the properties too: what an operator keeps may make no sense under others. */
export function keptOf(operator: Operator): unknown {
  const state = operator.checkpoint();
  return state === undefined ? undefined : { state, properties: operator.properties };
}

/**
 * Sets an operator up and brings it to where its checkpoint left it, with the properties of then; what was changed
 * since is told to it afterwards, as if it were changed now. `make` gives it its context; `discard` lets go of one that
 * was made in vain.
 */
export async function startOperator(options: {
  readonly type: OperatorClass;
  readonly properties: Properties;
  /** As `keptOf` gave it; `undefined` for a first deployment, and for an operator without state. */
  readonly kept: unknown;
  readonly make: () => Operator;
  readonly discard: (operator: Operator) => Promise<void>;
  readonly warn: (message: string) => void;
}): Promise<Operator> {
  const { type, properties, make } = options;
  const kept = options.kept === undefined ? undefined : Kept.parse(options.kept);
  const then = kept && type.properties.safeParse(kept.properties);
  if (then?.success && !isDeepStrictEqual(then.data, properties)) {
    const operator = make();
    try {
      operator.properties = then.data;
      await operator.setup();
      operator.restore(kept?.state);
      operator.properties = properties;
      operator.propertiesChanged();
      return operator;
    } catch (error) {
      // It may be what the change was made for: a folder that can't be written any more.
      options.warn(`Could not begin with the properties of its checkpoint: ${messageOf(error)}`);
      await options.discard(operator);
    }
  }
  const operator = make();
  operator.properties = properties;
  await operator.setup();
  if (kept) operator.restore(kept.state);
  return operator;
}
