import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../interfaces/clock.js';
import type { CheckedScript, ConditionResult, ConditionRunner } from './conditions/condition.js';
import type { CurrentTopics } from './current-topics.js';
import type { ScriptValidation } from './schema.js';
import { onlyName, shownPattern } from './topic-names.js';

interface SingleEvaluation {
  readonly shown: ScriptValidation;
  /** Absent when the script is none. */
  readonly result?: ConditionResult | undefined;
}

/** Reads a script, and evaluates it once over what `user` may read now. */
export async function evaluateOnce(
  { runner, current, clock }: { runner: ConditionRunner; current: CurrentTopics; clock: Clock },
  user: Principal,
  script: string,
  signal: AbortSignal,
): Promise<SingleEvaluation> {
  const startedAt = clock.monotonic();
  const elapsed = () => Math.round(clock.monotonic() - startedAt);
  const checked = await runner.check(script);
  if (checked.is === 'faulty') return { shown: { ...shownFault(checked), elapsedMillis: elapsed() } };
  const topics = await current(user, checked.topics, signal);
  const named = {
    topics: checked.topics.map(shownPattern),
    missingTopics: checked.topics
      .flatMap((pattern) => onlyName(pattern) ?? [])
      .filter((name) => !topics.has(name)),
  };
  const condition = { script, fieldsWhen: 'always' } as const;
  const [result] = await runner.evaluate({ snapshots: [{ topics, conditions: [condition] }] });
  if (result?.is !== 'evaluated') {
    const error = result && result.is !== 'skipped' ? result.message : 'It could not be evaluated now';
    return { shown: { valid: false, error, ...named, elapsedMillis: elapsed() } };
  }
  const { holds, note, fields = [] } = result;
  return {
    result,
    shown: {
      valid: true,
      result: holds,
      ...(note === undefined ? {} : { error: note }),
      ...named,
      fields: fields.map(({ topic, path, ...read }) => ({ topic, path: [...path], ...read })),
      elapsedMillis: elapsed(),
    },
  };
}

function shownFault({ message, line, column }: CheckedScript & { readonly is: 'faulty' }) {
  const at = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
  return { valid: false, error: message, ...at, topics: [], missingTopics: [] };
}
