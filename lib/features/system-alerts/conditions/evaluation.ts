import type { Compiled } from './compiler.js';
import { fieldsRead } from './fields-read.js';
import type { Order, OrderedCondition, Outcome } from './protocol.js';
import { readScript, type Script } from './script.js';
import { ScriptFault } from './script-fault.js';

type Round = Order & { readonly is: 'round' };

/** One round. It may be interrupted at any place and goes on after the condition that it was at. */
export interface Evaluation {
  readonly isUnfinished: boolean;
  /** The condition that is next. */
  readonly next: number;
  /** Evaluates the next conditions, for about `sliceMillis`; one when the round is careful. */
  run(): void;
  /** `run` was ended from outside. */
  interrupted(): void;
  /** Since the last call. */
  takeOutcomes(): Outcome[];
}

/** So long the host hears nothing while all is well. */
export const sliceMillis = 20;

export interface Evaluations {
  /** `values` of the topics, by their number. */
  begin(order: Round, values: readonly unknown[]): Evaluation;
}

/** Scripts are compiled once, and kept until the host says that nobody has them any more. */
export function createEvaluations(compile: (script: Script) => Compiled): Evaluations {
  const scripts = new Map<number, Compiled | ScriptFault>();

  function compiled(text: string): Compiled | ScriptFault {
    try {
      return compile(readScript(text));
    } catch (error) {
      if (error instanceof ScriptFault) return error;
      throw error;
    }
  }

  function outcomeOf({ script, fieldsWhen }: OrderedCondition, topics: object): Outcome {
    const known = scripts.get(script);
    if (!known || known instanceof ScriptFault) return { error: known?.message ?? 'It is not known' };
    const startedAt = performance.now();
    let value: unknown;
    try {
      // Without `this`: it would be an object of ours.
      const { run } = known;
      value = run(topics);
    } catch (error) {
      return { error: told(error) };
    }
    const holds = value === true;
    const wantsFields = fieldsWhen === 'always' || fieldsWhen === holds;
    if (!wantsFields && typeof value === 'boolean') return holds ? 1 : 0;
    return {
      holds,
      millis: performance.now() - startedAt,
      ...(typeof value === 'boolean' ? {} : { note: noteOf(value) }),
      ...(wantsFields ? { fields: fieldsRead(known.fields, topics) } : {}),
    };
  }

  return {
    begin({ snapshots, conditions, isCareful, ...order }, values) {
      for (const script of order.forget) scripts.delete(script);
      for (const [script, text] of order.scripts) scripts.set(script, compiled(text));
      const topicsOf = snapshots.map((topics) => topicsObject(topics, values));
      const outcomes: Outcome[] = [];
      let taken = 0;
      /** The condition that is being evaluated. */
      let at = 0;
      return {
        get isUnfinished() {
          return outcomes.length < conditions.length;
        },
        get next() {
          return outcomes.length;
        },
        run() {
          const startedAt = performance.now();
          for (const condition of conditions.slice(outcomes.length)) {
            at = outcomes.length;
            outcomes.push(outcomeOf(condition, topicsOf[condition.snapshot] ?? {}));
            if (isCareful || performance.now() - startedAt > sliceMillis) return;
          }
        },
        interrupted() {
          // Unless it had just finished.
          if (outcomes.length === at) outcomes.push({ stopped: true });
        },
        takeOutcomes() {
          const fresh = outcomes.slice(taken);
          taken = outcomes.length;
          return fresh;
        },
      };
    },
  };
}

/** `_topic`: own members only, so a topic that is not there is `undefined` whatever its name. */
function topicsObject(topics: Round['snapshots'][number], values: readonly unknown[]): object {
  const object = Object.fromEntries(topics.map(([name, text]) => [name, values[text]]));
  return Object.freeze(Object.setPrototypeOf(object, null));
}

/** Nothing of what a script throws can be relied on. */
function told(error: unknown): string {
  try {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : `It threw ${noun(error)}`;
    return text.slice(0, 500);
  } catch {
    return 'It threw something that can not be told';
  }
}

const noteOf = (value: unknown): string =>
  `The condition gave ${noun(value)} instead of true or false, which counts as false`;

function noun(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
