import * as z from 'zod';
import { readAddresses } from '../../formats/mail-addresses.js';
import { Flag, NumberInput, SingleLine } from '../../model/inputs.js';
import { inUnit, quantity } from '../../model/quantity.js';
import { TemplateValues } from '../alert-templates/schema.js';

const dayMillis = 24 * 60 * 60_000;

const Millis = (what: string) => quantity('epoch ms').describe(`${what}, milliseconds since 1970`);

/** Blanks, slashes and percent signs are fine. Names stand in mails, so no control characters. */
const AlertName = SingleLine(128).min(1);
export const AlertParams = z.object({ name: AlertName });

/** `docs/decisions.md`, Conditions may come escaped: `a &gt; b` would be JavaScript of another meaning. */
function withoutEscapes(text: string): string {
  const read = text.replace(/&(?:lt|gt|amp|quot|apos|#39);/g, (entity) => characters[entity] ?? entity);
  // Until nothing is left to read, so that a condition that was read comes back as it is.
  return read === text ? text : withoutEscapes(read);
}

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
};

const ScriptText = z
  .string()
  .min(1)
  .max(64 * 1024, { abort: true })
  .transform(withoutEscapes)
  .describe('JavaScript over `_topic`; its last expression gives true or false');

const Recipients = z
  .string()
  .max(20_000, { abort: true })
  .superRefine((list, context) => {
    const { problem } = readAddresses(list);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    description: '1 to 50 addresses, separated by commas',
    examples: ['ops@example.org, ada@example.org'],
  });

const Description = z.string().max(4096, { abort: true }).default('').describe('what the mail is to say');

const Threshold = NumberInput.pipe(
  z
    .int()
    .min(0)
    .max(30 * dayMillis),
).meta(inUnit('ms'));

export const AlertInput = z
  .object({
    name: AlertName.optional().describe('the path decides; a different name is refused'),
    condition: ScriptText,
    email: Recipients,
    description: Description,
    timeThresholdMillis: Threshold.describe('how long the condition must hold, at most 30 days'),
    disabled: Flag.default(false),
  })
  .meta({ id: 'AlertInput' });
export type AlertInput = z.output<typeof AlertInput>;

const AlertStatus = z
  .object({
    isInAlert: z.boolean(),
    inTime: Millis('when it became active; absent while it is not').optional(),
    message: z.string().describe('what is wrong with the condition, else the description'),
    emailSent: z.boolean().describe('whether the mail server took the mail about the last change'),
  })
  .meta({ id: 'AlertStatus' });

export const Alert = z
  .object({
    name: z.string(),
    owner: z.string(),
    condition: z.string(),
    email: z.string(),
    description: z.string(),
    timeThresholdMillis: quantity('ms'),
    disabled: z.boolean(),
    alertStatus: AlertStatus,
  })
  .meta({ id: 'Alert' });
export type Alert = z.output<typeof Alert>;
export const AlertList = z.object({ alerts: z.array(Alert) });
export const AlertFilter = z.object({ inAlert: Flag.optional() });
export type AlertFilter = z.output<typeof AlertFilter>;

export const AlertHistoryItem = z
  .object({
    name: z.string(),
    owner: z.string(),
    inTime: Millis('when it became active'),
    outTime: Millis('when that was over'),
    message: z.string(),
    emailSent: z.boolean(),
  })
  .meta({ id: 'AlertHistoryItem' });
export type AlertHistoryItem = z.output<typeof AlertHistoryItem>;
export const AlertHistoryReply = z.object({ history: z.array(AlertHistoryItem) });

export const ScriptToValidate = z
  .object({
    script: ScriptText.optional(),
    name: AlertName.optional().describe(
      'of the alert that it is for: the answer has the mail that it would send',
    ),
    template: z
      .string()
      .max(128, { abort: true })
      .optional()
      .describe('name of a template that makes the script instead'),
    values: TemplateValues.optional().describe('of the parameters of the template'),
    email: Recipients.optional().describe('who gets a test mail; default: nobody'),
    description: Description,
    backtest: Flag.default(false).describe('also evaluate it over what the user’s alerts read lately'),
    timeThresholdMillis: Threshold.default(0).describe('of the backtest'),
  })
  .superRefine(({ script, template, values }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (script === undefined && template === undefined)
      issue('script', 'is missing, and no template is named');
    if (script !== undefined && template !== undefined)
      issue('template', 'makes the script: leave one of them out');
    if (values !== undefined && template === undefined)
      issue('values', 'are of a template, and none is named');
  })
  .meta({ id: 'ScriptToValidate', examples: [{ script: 'true' }] });
export type ScriptToValidate = z.output<typeof ScriptToValidate>;

export const Backtest = z
  .object({
    from: Millis('of the first evaluation; absent when nothing is remembered').optional(),
    to: Millis('of the last one').optional(),
    evaluations: quantity('evaluations'),
    errors: quantity('evaluations').describe('evaluations that gave none'),
    activations: z
      .array(z.object({ inTime: quantity('epoch ms'), outTime: quantity('epoch ms').optional() }))
      .describe('when it would have been active; without `outTime`: to the end'),
  })
  .meta({ id: 'Backtest' });
export type Backtest = z.output<typeof Backtest>;

/** `docs/decisions.md`, What a mail about an alert says. */
const FieldRead = z.object({
  topic: z.string(),
  path: z.array(z.string()).describe('names of members, from the data of the topic inwards'),
  value: z.string().optional().describe('JSON text, at most 200 characters; absent when there was nothing'),
});

const MailShown = z.object({ subject: z.string(), text: z.string() });

export const ScriptValidation = z
  .object({
    valid: z.boolean().describe('whether it could be evaluated'),
    result: z.boolean().optional().describe('what it gave; absent when it is not valid'),
    error: z.string().optional(),
    line: z.number().optional().describe('of the error, from 1'),
    column: z.number().optional(),
    script: z.string().optional().describe('what the template made of the values, when one was named'),
    topics: z.array(z.string()).describe('what it names; `*` stands for what is known only when it runs'),
    missingTopics: z.array(z.string()).describe('those without data, or that the caller may not read'),
    fields: z
      .array(FieldRead)
      .optional()
      .describe('what it names outright, and what was there, when it is valid'),
    elapsedMillis: quantity('ms'),
    mail: MailShown.optional().describe(
      'which the recipients would get if it became active now, when `name` was given and it is valid',
    ),
    emailSent: z.boolean().optional().describe('of the test mail, when one was asked for'),
    emailError: z.string().optional(),
    backtest: Backtest.optional().describe('when one was asked for and the script is valid'),
  })
  .meta({ id: 'ScriptValidation' });
export type ScriptValidation = z.output<typeof ScriptValidation>;

export const TopicDataReply = z.record(z.string(), z.unknown()).meta({ id: 'TopicData' });
