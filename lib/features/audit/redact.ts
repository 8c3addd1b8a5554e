import * as z from 'zod';
import { isSecretName } from '../../formats/secret-names.js';

/** What may be kept of something that a client sent: without secrets, and short. */
export type Redact = (sent: unknown) => unknown;

type Schema = z.core.JSONSchema.BaseSchema;
type Part = Schema | boolean | undefined;

const secret = '***';
/** Of what is not plain data, or too deep. */
const left = '…';
const limits = { depth: 6, members: 50, items: 20, text: 256 };

/**
 * Secrets are what the schema marks as write-only. Where it leaves a place free, names decide, as everywhere:
 * `bindPassword`, or the `propertyValue` beside a `propertyName` like that.
 */
export function redactorFor(schema: z.ZodType | undefined): Redact {
  const root: Schema = schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {};
  const named = root.$defs ?? {};
  const expand = (one: Part): readonly Schema[] => expanded(one, named, 0);

  function redact(sent: unknown, schemas: readonly Schema[], depth: number): unknown {
    if (schemas.some(({ writeOnly }) => writeOnly === true)) return secret;
    if (typeof sent === 'string') {
      return sent.length > limits.text ? `${sent.slice(0, limits.text)}${left}` : sent;
    }
    if (typeof sent !== 'object' || sent === null) return sent;
    if (depth === limits.depth) return left;
    if (Array.isArray(sent)) {
      const items = schemas.flatMap((one) => [one.items].flat().flatMap(expand));
      return sent.slice(0, limits.items).map((item) => redact(item, items, depth + 1));
    }
    return isPlain(sent) ? members(sent, schemas, depth) : left;
  }

  function members(sent: object, schemas: readonly Schema[], depth: number): object {
    const entries = Object.entries(sent).slice(0, limits.members);
    const namesSecret = entries.some(
      ([name, value]) => /name$|^key$/i.test(name) && typeof value === 'string' && isSecretName(value),
    );
    return Object.fromEntries(
      entries.map(([name, value]) => {
        if (isSecretName(name) || (namesSecret && /value$/i.test(name))) return [name, secret];
        const inner = schemas.flatMap(({ properties, additionalProperties }) =>
          expand(properties?.[name] ?? additionalProperties),
        );
        return [name, redact(value, inner, depth + 1)];
      }),
    );
  }

  const whole = expand(root);
  return (sent) => redact(sent, whole, 0);
}

/** The schemas that a value may have to fit, references and alternatives resolved. */
function expanded(one: Part, named: Record<string, Schema>, depth: number): readonly Schema[] {
  if (typeof one !== 'object' || depth > 20) return [];
  const target = one.$ref === undefined ? undefined : named[one.$ref.replace('#/$defs/', '')];
  const others = [target, ...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])];
  return [one, ...others.flatMap((other) => expanded(other, named, depth + 1))];
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
