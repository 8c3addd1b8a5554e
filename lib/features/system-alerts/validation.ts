import { readAddresses } from '../../formats/mail-addresses.js';
import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../interfaces/clock.js';
import type { FieldRead } from '../../model/alerts.js';
import { asGatewayError } from '../../model/errors.js';
import type { AlertTemplateService } from '../alert-templates/service.js';
import type { AlertMails } from '../mail/service.js';
import { backtest } from './backtest.js';
import type { ConditionResult, ConditionRunner } from './conditions/condition.js';
import type { CurrentTopics } from './current-topics.js';
import type { ScriptToValidate, ScriptValidation } from './schema.js';
import { evaluateOnce } from './single-evaluation.js';
import type { TopicHistory, TopicRecord } from './topic-history.js';
import type { TopicSource } from './topic-readings.js';
import { createValidations } from './validations.js';

/**
 * `validate/script`: reads a script, and evaluates it once over what the caller may read now. Rejects with `NotFound` or
 * `InvalidInput` when it is to come from a template and can't, with `TooManyRequests` while others are tried.
 */
type Validate = (user: Principal, input: ScriptToValidate, signal: AbortSignal) => Promise<ScriptValidation>;

export function createValidate(deps: {
  readonly runner: ConditionRunner;
  readonly current: CurrentTopics;
  readonly history: Pick<TopicHistory, 'of'>;
  readonly source: Pick<TopicSource, 'hasViews' | 'mayRead'>;
  readonly mails: AlertMails;
  readonly templates: Pick<AlertTemplateService, 'fill'>;
  readonly clock: Clock;
}): Validate {
  const { runner, history, source, mails, templates } = deps;
  const limits = createValidations(deps.clock);

  /** Records of what the user's own alerts read, and of that only what the user may read now. */
  async function recordsFor(user: Principal): Promise<TopicRecord[]> {
    const records = history.of(user.userName);
    const mayRead = new Map<string, boolean>();
    for (const name of new Set(records.flatMap(({ topics }) => [...topics.keys()]))) {
      // A view was made for all that the user may; a token may less.
      const isWhole = user.identity.scope === undefined || !source.hasViews(name);
      mayRead.set(name, isWhole && (await source.mayRead(user, name).catch(() => false)));
    }
    return records.map(({ topics, ...record }) => ({
      ...record,
      topics: new Map([...topics].filter(([name]) => mayRead.get(name))),
    }));
  }

  async function sendTest(
    user: Principal,
    { script, email = '', description }: ScriptToValidate & { readonly script: string },
    { holds, fields = [] }: ConditionResult & { readonly is: 'evaluated' },
    signal: AbortSignal,
  ): Promise<Pick<ScriptValidation, 'emailSent' | 'emailError'>> {
    try {
      const recipients = readAddresses(email).addresses ?? [];
      const { userName } = user;
      limits.countMail(userName);
      await mails.sendTest(
        { recipients, description, condition: script, result: holds, fields, userName },
        signal,
      );
      return { emailSent: true };
    } catch (error) {
      return { emailSent: false, emailError: asGatewayError(error).message };
    }
  }

  async function scriptOf({ script = '', template, values = {} }: ScriptToValidate): Promise<string> {
    return template === undefined ? script : templates.fill(template, values, 'body.values');
  }

  async function validate(
    user: Principal,
    input: ScriptToValidate,
    signal: AbortSignal,
  ): Promise<ScriptValidation> {
    const script = await scriptOf(input);
    const { shown, result } = await evaluateOnce(deps, user, script, signal);
    const made = input.template === undefined ? {} : { script };
    if (result?.is !== 'evaluated') return { ...shown, ...made };
    const whole = { ...input, script };
    return {
      ...shown,
      ...made,
      ...mailOf(mails, user, whole, result.fields ?? []),
      ...(input.email === undefined ? {} : await sendTest(user, whole, result, signal)),
      ...(input.backtest ? { backtest: await backtest(runner, whole, await recordsFor(user), signal) } : {}),
    };
  }

  return (user, input, signal) => limits.run(user.userName, signal, () => validate(user, input, signal));
}

/** The mail of the alert that a script is for, where its name is given. */
function mailOf(
  mails: Pick<AlertMails, 'shown'>,
  { userName }: Principal,
  { name, script, description, timeThresholdMillis }: ScriptToValidate & { readonly script: string },
  fields: readonly FieldRead[],
): Pick<ScriptValidation, 'mail'> {
  if (name === undefined) return {};
  const alert = { name, owner: userName, condition: script, description, timeThresholdMillis };
  return { mail: mails.shown(alert, fields) };
}
