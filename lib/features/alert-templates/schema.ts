import * as z from 'zod';
import { Flag, SingleLine } from '../../model/inputs.js';

export const TemplateName = z.object({ name: SingleLine(128).min(1) });

const Variable = z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'is a name of letters, digits and _, up to 64');
const TextOrNumber = z.union([z.string().max(1000, { abort: true }), z.number()]).transform(String);

const TemplateParameter = z
  .object({
    variable: Variable.describe('replaced in the script as {{variable}}'),
    label: SingleLine(200),
    type: z.enum(['number', 'text']),
    placeholder: SingleLine(200).default(''),
    tooltip: SingleLine(1000).default(''),
    required: Flag.default(false),
    default: TextOrNumber.optional(),
    values: z
      .record(z.string().min(1).max(64, { abort: true }), SingleLine(200))
      .refine((values) => Object.keys(values).length <= 100, 'has more than 100 choices')
      .optional()
      .describe('choices: key to what is shown; {{variable.key}} is the key'),
  })
  .meta({ id: 'TemplateParameterInput' });

/** Every template is a system template. */
export const TemplateInput = z
  .object({
    description: z.string().max(2000).default(''),
    parameters: z.array(TemplateParameter).max(50).default([]),
    script: z.string().min(1).max(65_536).describe('JavaScript with {{variable}} and {{variable.key}}'),
  })
  .meta({ id: 'AlertTemplateInput' });
export type TemplateInput = z.output<typeof TemplateInput>;

const Parameter = z.object({
  variable: z.string(),
  label: z.string(),
  type: z.enum(['number', 'text']),
  placeholder: z.string(),
  tooltip: z.string(),
  required: z.boolean(),
  default: z.string().optional(),
  values: z.record(z.string(), z.string()).optional(),
});
export type Parameter = z.output<typeof Parameter>;

/** What is kept and shown of a template, besides its name. */
export const TemplateContent = z.object({
  description: z.string(),
  parameters: z.array(Parameter),
  script: z.string(),
});
export type TemplateContent = z.output<typeof TemplateContent>;

export const AlertTemplate = TemplateContent.extend({
  name: z.string(),
  isSystemTemplate: z.literal(true),
}).meta({ id: 'AlertTemplate' });
export type AlertTemplate = z.output<typeof AlertTemplate>;

export const AlertTemplateList = z.object({ templates: z.array(AlertTemplate) });

/** What is put in for the variables, by name. */
export const TemplateValues = z.record(z.string().max(64, { abort: true }), TextOrNumber);
export type TemplateValues = z.output<typeof TemplateValues>;
