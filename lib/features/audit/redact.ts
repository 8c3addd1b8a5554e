import * as z from 'zod';
import { isSecretName } from '../../formats/secret-names.js';

/** What may be kept of something that a client sent: without secrets, and short. */
export type Redact = (sent: unknown) => unknown;

type Schema = z.core.JSONSchema.BaseSchema;
type Part = Schema | boolean | undefined;

const secret = '***';
/** Of what is not plain data, or too deep. */
const left = '...';
const limits = { depth: 6, members: 50, items: 20, text: 256 };

/**
 * Secrets are what the schema marks as write-only. Where it leaves a place free, names decide, as everywhere:
 * `bindPassword`, or the `propertyValue` beside a `propertyName` like that.
 */
export function redactorFor(schema: z.ZodType | undefined): Redact {
  const whole: Schema = schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {};
  const defined = whole.$defs ?? {};
  const expand = (one: Part): readonly Schema[] => expanded(one, defined, 0);

  function placeOf(schemas: readonly Schema[]): Place {
    const named = new Map<string, Place>();
    let others: Place | undefined;
    let items: Place | undefined;
    const ofMember = (name: string) =>
      placeOf(schemas.flatMap((one) => expand(propertyOf(one, name) ?? one.additionalProperties)));
    return {
      isSecret: schemas.some(({ writeOnly }) => writeOnly === true),
      member(name) {
        if (schemas.every((one) => propertyOf(one, name) === undefined)) {
          others ??= placeOf(schemas.flatMap((one) => expand(one.additionalProperties)));
          return others;
        }
        const known = named.get(name) ?? ofMember(name);
        named.set(name, known);
        return known;
      },
      item() {
        items ??= placeOf(schemas.flatMap((one) => [one.items].flat().flatMap(expand)));
        return items;
      },
    };
  }

  const root = placeOf(expand(whole));
  return (sent) => redact(sent, root, 0);
}

/** A place in what is sent. Those below it are found when they are needed first: schemas may hold themselves. */
interface Place {
  readonly isSecret: boolean;
  member(name: string): Place;
  item(): Place;
}

const propertyOf = ({ properties }: Schema, name: string): Part =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;

function redact(sent: unknown, place: Place, depth: number): unknown {
  if (place.isSecret) return secret;
  if (typeof sent === 'string') {
    return sent.length > limits.text ? `${sent.slice(0, limits.text)}${left}` : sent;
  }
  if (typeof sent !== 'object' || sent === null) return sent;
  if (depth === limits.depth) return left;
  if (Array.isArray(sent)) {
    return sent.slice(0, limits.items).map((item) => redact(item, place.item(), depth + 1));
  }
  return isPlain(sent) ? members(sent, place, depth) : left;
}

function members(sent: object, place: Place, depth: number): object {
  const entries: [string, unknown][] = Object.entries(sent).slice(0, limits.members);
  const namesSecret = entries.some(
    ([name, value]) => typeof value === 'string' && /name$|^key$/i.test(name) && isSecretName(value),
  );
  for (const entry of entries) {
    const [name, value] = entry;
    const isSecret = isSecretName(name) || (namesSecret && /value$/i.test(name));
    entry[1] = isSecret ? secret : redact(value, place.member(name), depth + 1);
  }
  return Object.fromEntries(entries);
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
