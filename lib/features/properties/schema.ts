import * as z from 'zod';
import { isXmlText } from '../../formats/xml-text.js';

/** Later ones win: `docs/decisions.md`, Four scopes. */
export const Scope = z
  .enum(['GLOBAL', 'LOCAL', 'USER', 'TRANSIENT'])
  .describe(
    'GLOBAL and LOCAL: the site files, which this API writes; USER: the file of the service account; TRANSIENT: said by the gateway or its host',
  );
export type Scope = z.output<typeof Scope>;

const maxNameLength = 256;
/** Characters of a value, and of a description. */
const maxValueLength = 16 * 1024;

export const PropertyName = z
  .string()
  .min(1)
  .max(maxNameLength, { abort: true })
  .regex(
    /^[^\s\p{Cc}<>&"'/\\]+$/u,
    'is no name of a property: letters, digits, dots and the like, without blanks',
  );

const Value = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value).trim())
  .pipe(
    z
      .string()
      .min(1, 'must not be blank; DELETE removes a property')
      .max(maxValueLength, { abort: true })
      .refine(isXmlText, 'holds characters that no XML file can hold'),
  );
const Description = z
  .string()
  .trim()
  .max(maxValueLength, { abort: true })
  .refine(isXmlText, 'holds characters that no XML file can hold')
  .optional();
const Local = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
  .optional()
  .describe('true: into the file of this node (scope LOCAL); else into the shared one (GLOBAL)');

const SentScope = Scope.optional().describe('as it was read; LOCAL says the same as local: true');

/** The body of the PUT. A value of a secret may be `********`: then it stays what it is. */
export const ConfigPropertyInput = z
  .strictObject({
    value: Value.meta({ writeOnly: true }),
    local: Local,
    scope: SentScope,
    description: Description,
  })
  .meta({ id: 'ConfigPropertyInput' });
export type ConfigPropertyInput = z.output<typeof ConfigPropertyInput>;

const NamedProperty = z.strictObject({
  name: PropertyName,
  value: Value,
  local: Local,
  scope: SentScope,
  description: Description,
});
export type NamedProperty = z.output<typeof NamedProperty>;

export const PropertyList = z.strictObject({ properties: z.array(NamedProperty).min(1).max(1000) });

/** Values of secrets are `********`. */
export const ConfigPropertyReply = z
  .object({
    value: z.string(),
    description: z.string(),
    scope: Scope.optional().describe('in the list always, of a single property only LOCAL'),
  })
  .meta({ id: 'ConfigProperty' });
export type ConfigPropertyReply = z.output<typeof ConfigPropertyReply>;

export const ConfigProperties = z.record(z.string(), ConfigPropertyReply);
export type ConfigProperties = z.output<typeof ConfigProperties>;

const InForce = z
  .enum(['at once', 'restart', 'start', 'launch'])
  .describe(
    'when a new value counts; restart: from the next POST config/restart; start: from the next start of the host; launch: for what is launched from then on',
  );

/** A property that means something to the gateway itself, whether anybody has set it or not. */
export const KnownProperty = z
  .object({
    name: z.string(),
    meaning: z.string(),
    default: z.string().optional().describe('in force while nobody sets it'),
    inForce: InForce,
    isSecret: z.boolean().describe('its value is never told'),
    isLocal: z.boolean().describe('always kept in the file of this node'),
    isWaiting: z.boolean().describe('its newest value does not count yet'),
  })
  .meta({ id: 'KnownProperty' });
export type KnownProperty = z.output<typeof KnownProperty>;
export const KnownPropertyList = z.object({ properties: z.array(KnownProperty) });
