import type { ConditionRound } from '../../../interfaces/conditions.js';
import type { Order } from './protocol.js';
import { createTextNumbers } from './text-numbers.js';

export interface RoundOrder {
  readonly order: Order;
  /** Topics' texts that the process does not have, as the order says. */
  readonly texts: readonly Buffer[];
}

/** Scripts that somebody only tries out push nothing out. */
const spareScripts = 1000;

/** What one process is told of rounds: each script and each topic's text once, while it is of use. */
export function createRoundOrders(limitMillis: number): (round: ConditionRound, from: number) => RoundOrder {
  const scripts = createTextNumbers(spareScripts);
  const values = createTextNumbers(0);

  return ({ snapshots }, from) => {
    const wanted = new Set<string>();
    const wantedValues = new Set<string>();
    for (const { topics, conditions } of snapshots) {
      for (const { script } of conditions) wanted.add(script);
      for (const text of topics.values()) wantedValues.add(text);
    }
    const learnt = scripts.learn(wanted);
    const { fresh, forgotten } = values.learn(wantedValues);
    const texts = fresh.map(([text]) => Buffer.from(text));
    return {
      order: {
        is: 'round',
        texts: fresh.map(([, number], index) => [number, texts[index]?.length ?? 0]),
        forgetTexts: forgotten,
        scripts: learnt.fresh,
        forgetScripts: learnt.forgotten,
        snapshots: snapshots.map(({ topics, conditions }) => ({
          topics: Array.from(topics, ([name, text]) => [name, values.numberOf(text)]),
          scripts: conditions.map(({ script }) => scripts.numberOf(script)),
          asked: conditions.flatMap(({ fieldsWhen }, index) =>
            fieldsWhen === undefined ? [] : [[index, fieldsWhen]],
          ),
        })),
        from,
        limitMillis,
      },
      texts,
    };
  };
}
