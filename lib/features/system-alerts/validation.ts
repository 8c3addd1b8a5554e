import { asGatewayError, NotSupported } from '../../core/errors.js';
import { readAddresses } from '../../core/mail-addresses.js';
import type { Principal } from '../../core/principal.js';
import type { AlertMails } from '../../interfaces/alerts.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ConditionResult, ConditionRunner } from '../../interfaces/conditions.js';
import type { CurrentTopics } from './current-topics.js';
import type { ScriptToValidate, ScriptValidation } from './schema.js';
import { onlyName, shownPattern } from './topic-names.js';

/** `validate/script`: reads a script, and evaluates it once over what the caller may read now. */
export type Validate = (
  user: Principal,
  input: ScriptToValidate,
  signal: AbortSignal,
) => Promise<ScriptValidation>;

const id = 'validated';

export function createValidate(deps: {
  readonly runner: ConditionRunner;
  readonly current: CurrentTopics;
  readonly mails: AlertMails | undefined;
  readonly clock: Clock;
}): Validate {
  const { runner, current, mails, clock } = deps;

  async function evaluate(
    user: Principal,
    script: string,
    signal: AbortSignal,
  ): Promise<{ readonly shown: ScriptValidation; readonly result?: ConditionResult | undefined }> {
    const startedAt = clock.monotonic();
    const elapsed = () => Math.round(clock.monotonic() - startedAt);
    const checked = await runner.check(script);
    if (checked.is === 'faulty') {
      const { message, line, column } = checked;
      const at = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
      return {
        shown: {
          valid: false,
          error: message,
          ...at,
          topics: [],
          missingTopics: [],
          elapsedMillis: elapsed(),
        },
      };
    }
    const topics = await current(user, checked.topics, signal);
    const named = {
      topics: checked.topics.map(shownPattern),
      missingTopics: checked.topics
        .flatMap((pattern) => onlyName(pattern) ?? [])
        .filter((name) => !topics.has(name)),
    };
    const condition = { id, script, fieldsWhen: 'always' } as const;
    const result = (await runner.evaluate({ snapshots: [{ topics, conditions: [condition] }] })).get(id);
    if (result?.is !== 'evaluated') {
      const error = result && result.is !== 'skipped' ? result.message : 'It could not be evaluated now';
      return { shown: { valid: false, error, ...named, elapsedMillis: elapsed() } };
    }
    const { holds, note } = result;
    return {
      result,
      shown: {
        valid: true,
        result: holds,
        ...(note === undefined ? {} : { error: note }),
        ...named,
        elapsedMillis: elapsed(),
      },
    };
  }

  return async (user, { script, email, description }, signal) => {
    const { shown, result } = await evaluate(user, script, signal);
    if (email === undefined || result?.is !== 'evaluated') return shown;
    try {
      if (!mails) throw new NotSupported('gateway', 'mails; the host gives it a mailer');
      const mail = {
        recipients: readAddresses(email).addresses ?? [],
        description,
        condition: script,
        result: result.holds,
        fields: result.fields ?? [],
        userName: user.userName,
      };
      await mails.sendTest(mail, signal);
      return { ...shown, emailSent: true };
    } catch (error) {
      return { ...shown, emailSent: false, emailError: asGatewayError(error).message };
    }
  };
}
