import type { Condition, ConditionRound } from './condition.js';
import type { OrderedConditions, ScriptOrder } from './protocol.js';
import { createTextNumbers } from './text-numbers.js';

interface RoundOrder {
  readonly order: ScriptOrder;
  /** Topics' texts that the process does not have, as the order says. */
  readonly texts: readonly string[];
}

/** Beside those of the largest round so far: scripts that somebody only tries out push nothing out. */
const spareScripts = 1000;

type Snapshot = ConditionRound['snapshots'][number];

/** `usedUp`: owners who may take nothing more in this round. */
type RoundOrders = (round: ConditionRound, from: number, usedUp: Iterable<string>) => RoundOrder;

/** What one process is told of rounds: each script, each topic's text and each list of conditions once, while it is of use. */
export function createRoundOrders(limitMillis: number): RoundOrders {
  const scripts = createTextNumbers();
  const values = createTextNumbers();
  let largest = 0;
  /** What the process was told last, by place. It keeps their scripts, also those that it is to forget by number. */
  const known: (readonly Condition[] | undefined)[] = [];

  function learnScripts(snapshots: readonly Snapshot[]): ReturnType<typeof scripts.learn> {
    if (snapshots.every(({ conditions }, place) => conditions === known[place]))
      return { fresh: [], forgotten: [] };
    const wanted = snapshots.flatMap(({ conditions }) => conditions.map(({ script }) => script));
    largest = Math.max(largest, wanted.length);
    return scripts.learn(wanted, largest + spareScripts);
  }

  function described(conditions: readonly Condition[], place: number): { conditions?: OrderedConditions } {
    if (conditions === known[place]) return {};
    known[place] = conditions;
    return {
      conditions: {
        scripts: conditions.map(({ script }) => scripts.numberOf(script)),
        asked: conditions.flatMap(({ fieldsWhen }, index) =>
          fieldsWhen === undefined ? [] : [[index, fieldsWhen]],
        ),
      },
    };
  }

  return ({ snapshots, ownerMillis }, from, usedUp) => {
    const learnt = learnScripts(snapshots);
    const { fresh, forgotten } = values.learn(
      snapshots.flatMap(({ topics }) => [...topics.values()]),
      0,
    );
    return {
      order: {
        is: 'round',
        texts: fresh.map(([, number]) => number),
        forgetTexts: forgotten,
        scripts: learnt.fresh,
        forgetScripts: learnt.forgotten,
        snapshots: snapshots.map(({ topics, conditions, owner }, place) => ({
          topics: Array.from(topics, ([name, text]) => [name, values.numberOf(text)]),
          ...described(conditions, place),
          ...(owner === undefined ? {} : { owner }),
        })),
        from,
        limitMillis,
        ...(ownerMillis === undefined ? {} : { ownerMillis }),
        usedUp: [...usedUp],
      },
      texts: fresh.map(([text]) => text),
    };
  };
}
