import type { ConditionRound } from '../../../interfaces/conditions.js';
import type { Order, OrderedCondition } from './protocol.js';
import type { ScriptNumbers } from './script-numbers.js';

export interface RoundOrder {
  readonly order: Order;
  readonly texts: readonly Buffer[];
}

/** A round without its first `from` conditions, as the process is told it. Each text is in it once. */
export function roundOrder(
  { snapshots }: ConditionRound,
  from: number,
  scripts: ScriptNumbers,
  settings: { readonly limitMillis: number; readonly isCareful: boolean },
): RoundOrder {
  const texts = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = texts.get(text) ?? texts.size;
    texts.set(text, number);
    return number;
  };
  const conditions = snapshots
    .flatMap((snapshot, index) => snapshot.conditions.map((condition) => ({ ...condition, snapshot: index })))
    .slice(from);
  const { fresh, forgotten } = scripts.learn(conditions.map(({ script }) => script));
  const named = snapshots.map(({ topics }) =>
    [...topics].map(([name, text]) => [name, numberOf(text)] as const),
  );
  const bytes = [...texts.keys()].map((text) => Buffer.from(text));
  return {
    order: {
      is: 'round',
      texts: bytes.map(({ length }) => length),
      snapshots: named,
      scripts: fresh,
      forget: forgotten,
      conditions: conditions.map(
        ({ snapshot, script, fieldsWhen }): OrderedCondition => ({
          snapshot,
          script: scripts.numberOf(script),
          ...(fieldsWhen === undefined ? {} : { fieldsWhen }),
        }),
      ),
      ...settings,
    },
    texts: bytes,
  };
}
