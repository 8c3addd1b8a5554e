import * as z from 'zod';

// What clients of App Data ask, in the messages of Apex's own operators.

/** It becomes a part of a topic, and those end at 255 bytes. */
const Id = z
  .union([z.string().min(1).max(100), z.int()])
  .transform(String)
  .refine((id) => Buffer.byteLength(id) <= 100, 'at most 100 bytes');
/** Names of keys to what they must be. */
const Keys = z.record(z.string(), z.unknown()).nullish();
const Countdown = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .refine((windows) => windows >= 1, 'at least one window');
const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

const Query = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('schemaQuery'),
    id: Id,
    context: z.object({ keys: Keys }).nullish(),
  }),
  z.object({
    type: z.literal('dataQuery'),
    id: Id,
    countdown: Countdown.nullish(),
    data: z.object({ fields: z.array(z.string()).max(1_000).nullish(), schemaKeys: Keys }).nullish(),
    incompleteResultOK: Flag.nullish(),
  }),
]);

export interface AppDataQuery {
  readonly id: string;
  readonly kind: 'schema' | 'data';
  /** The schema that is meant; `null`: whichever is there. */
  readonly schemaKeys: Readonly<Record<string, unknown>> | null;
  /** Without doubles; empty: all. */
  readonly fields: readonly string[];
  /** For how many windows results are wanted; `null`: one result. */
  readonly countdown: number | null;
  readonly incompleteResultOK: boolean;
}

/** From a message of the hub: an object, or its JSON text, as the engine's own operators take it. Throws for all else. */
export function parseQuery(message: unknown): AppDataQuery {
  const query = Query.parse(typeof message === 'string' ? JSON.parse(message) : message);
  const { id } = query;
  if (query.type === 'schemaQuery') {
    const schemaKeys = given(query.context?.keys);
    return { id, kind: 'schema', schemaKeys, fields: [], countdown: null, incompleteResultOK: true };
  }
  return {
    id,
    kind: 'data',
    schemaKeys: given(query.data?.schemaKeys),
    fields: [...new Set(query.data?.fields ?? [])],
    countdown: query.countdown ?? null,
    incompleteResultOK: query.incompleteResultOK ?? true,
  };
}

const given = (keys: Readonly<Record<string, unknown>> | null | undefined) =>
  keys && Object.keys(keys).length > 0 ? keys : null;
