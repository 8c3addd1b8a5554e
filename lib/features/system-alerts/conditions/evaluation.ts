import type { Compiled } from './compiler.js';
import { fieldsRead } from './fields-read.js';
import { type Clocks, createOwnerBudgets } from './owner-budgets.js';
import type { Line, OrderedConditions, OrderedSnapshot, Outcome, ScriptOrder } from './protocol.js';
import { readScript, type Script } from './script.js';
import { ScriptFault } from './script-fault.js';

type Round = ScriptOrder & { readonly is: 'round' };
type Progress = Line & { readonly is: 'progress' };

/** One round. It may be interrupted at any place and goes on after the condition that it was at. */
export interface Evaluation {
  readonly isUnfinished: boolean;
  /** Evaluates the next conditions, for about `sliceMillis`. */
  run(): void;
  /** `run` was ended from outside, for the condition that it was at. */
  interrupted(): void;
  /** Since it was told last. */
  progress(): Progress;
}

/** So long a condition may be later than its limit when it is ended. */
export const sliceMillis = 10;

interface Evaluations {
  begin(order: Round, values: ReadonlyMap<number, unknown>, host: Host): Evaluation;
}

interface Host extends Clocks {
  tell(progress: Progress): void;
  /** For work that takes long: tells it, when nothing was told for some time. */
  stillAlive(): void;
}

interface Known {
  readonly compiled: Compiled | ScriptFault;
  /** It was run before and left this process as it was. */
  isProven: boolean;
}

type Asked = boolean | 'always' | undefined;

interface Ordered {
  readonly script: Known | undefined;
  readonly asked: Asked;
}

interface Present extends Ordered {
  readonly topics: object;
  readonly owner: string | undefined;
}

/** Scripts are compiled once, and kept until the host says that nobody has them any more. */
export function createEvaluations(compile: (script: Script) => Compiled): Evaluations {
  const scripts = new Map<number, Known>();
  /** What was ordered last, by place. */
  const known: (readonly Ordered[])[] = [];

  function compiled(text: string): Compiled | ScriptFault {
    try {
      return compile(readScript(text));
    } catch (error) {
      if (error instanceof ScriptFault) return error;
      throw error;
    }
  }

  function orderedOf(conditions: OrderedConditions): Ordered[] {
    const asked = new Map(conditions.asked);
    return conditions.scripts.map((script, index) => ({
      script: scripts.get(script),
      asked: asked.get(index),
    }));
  }

  const presentOf =
    (values: ReadonlyMap<number, unknown>) =>
    (snapshot: OrderedSnapshot, place: number): Present[] => {
      const topics = topicsObject(snapshot.topics, values);
      if (snapshot.conditions) known[place] = orderedOf(snapshot.conditions);
      return (known[place] ?? []).map(({ script, asked }) => ({
        topics,
        script,
        asked,
        owner: snapshot.owner,
      }));
    };

  return {
    begin({ snapshots, from, ...order }, values, host) {
      for (const script of order.forgetScripts) scripts.delete(script);
      for (const [text, script] of order.scripts) {
        scripts.set(script, { compiled: compiled(text), isProven: false });
        host.stillAlive();
      }
      return evaluationOf(snapshots.flatMap(presentOf(values)).slice(from), order, host);
    },
  };
}

function evaluationOf(
  conditions: readonly Present[],
  order: Pick<Round, 'limitMillis' | 'ownerMillis' | 'usedUp'>,
  host: Host,
): Evaluation {
  const budgets = createOwnerBudgets(order, host);
  let done = '';
  let told: Outcome[] = [];
  /** Conditions that are done are counted, and the one that is being evaluated is at this place. */
  let count = 0;
  let at = 0;
  /** The host believes this of the present condition. */
  let isRisky = false;

  function take(outcome: Outcome | boolean | 'skipped'): void {
    if (outcome === 'skipped') done += '-';
    else if (typeof outcome === 'boolean') done += outcome ? '1' : '0';
    else {
      done += '?';
      told.push(outcome);
    }
    count++;
  }

  function progress(isRiskyNow: boolean): Progress {
    isRisky = isRiskyNow;
    const fresh: Progress = { is: 'progress', done, told, isRisky };
    done = '';
    told = [];
    return fresh;
  }

  return {
    get isUnfinished() {
      return count < conditions.length;
    },
    run() {
      const startedAt = host.now();
      let latest = conditions[count]?.owner;
      for (const { topics, script, asked, owner } of conditions.slice(count)) {
        if (owner !== latest) budgets.charge(latest);
        latest = owner;
        at = count;
        if (budgets.isUsedUp(owner)) {
          take('skipped');
          continue;
        }
        const isNew = script?.isProven === false;
        if (isNew || isRisky) host.tell(progress(isNew));
        take(outcomeOf(script?.compiled, topics, asked));
        if (script) script.isProven = true;
        if (host.now() - startedAt > sliceMillis) break;
      }
      budgets.charge(latest);
    },
    interrupted() {
      // Unless it had just finished.
      if (count > at) return;
      budgets.charge(conditions[at]?.owner, order.limitMillis);
      take({ stopped: true });
    },
    progress: () => progress(false),
  };
}

function outcomeOf(
  script: Compiled | ScriptFault | undefined,
  topics: object,
  asked: Asked,
): Outcome | boolean {
  if (!script || script instanceof ScriptFault) return { error: script?.message ?? 'It is not known' };
  const startedAt = performance.now();
  let value: unknown;
  try {
    // Without `this`: it would be an object of ours.
    const { run } = script;
    value = run(topics);
  } catch (error) {
    return { error: thrown(error) };
  }
  const holds = value === true;
  const wantsFields = asked === 'always' || asked === holds;
  if (!wantsFields && typeof value === 'boolean') return holds;
  return {
    holds,
    millis: performance.now() - startedAt,
    ...(typeof value === 'boolean' ? {} : { note: noteOf(value) }),
    ...(wantsFields ? { fields: fieldsRead(script.fields, topics) } : {}),
  };
}

/** `_topic`: own members only, so a topic that is not there is `undefined` whatever its name. */
function topicsObject(topics: OrderedSnapshot['topics'], values: ReadonlyMap<number, unknown>): object {
  const object = Object.fromEntries(topics.map(([name, text]) => [name, values.get(text)]));
  return Object.freeze(Object.setPrototypeOf(object, null));
}

/** Nothing of what a script throws can be relied on. */
function thrown(error: unknown): string {
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
