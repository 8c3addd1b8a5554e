import { z } from 'zod';
import type { Condition, TopicPattern } from '../../../interfaces/conditions.js';

// What host and script process say to each other. Orders are one frame each: four bytes with the length of a JSON text,
// the text, and after it the topics' texts as they are. Answers are lines of JSON, and nothing in them is believed.

export type Order =
  | { readonly is: 'check'; readonly script: string }
  | {
      readonly is: 'round';
      /** Bytes of each topic's text, which follow. */
      readonly texts: readonly number[];
      /** Of each snapshot: name of a topic and the number of its text. */
      readonly snapshots: readonly (readonly (readonly [topic: string, text: number])[])[];
      /** Scripts that this process does not know yet, by a number. */
      readonly scripts: readonly (readonly [script: number, text: string])[];
      /** Scripts that nobody has any more. */
      readonly forget: readonly number[];
      readonly conditions: readonly OrderedCondition[];
      /** For one condition. */
      readonly limitMillis: number;
      /** Say which condition is next, and what came of it before the one after it. */
      readonly isCareful: boolean;
    };

export interface OrderedCondition {
  readonly snapshot: number;
  readonly script: number;
  readonly fieldsWhen?: Condition['fieldsWhen'];
}

const shortText = z.string().max(1000);

const Field = z.object({
  topic: z.string(),
  path: z.array(z.string()),
  value: z.string().max(300).exactOptional(),
});

/** `0` and `1`: false and true, and nothing else to say. */
export const Outcome = z.union([
  z.literal([0, 1]),
  z.object({
    holds: z.boolean(),
    note: shortText.exactOptional(),
    fields: z.array(Field).max(50).exactOptional(),
    millis: z.number(),
  }),
  z.object({ error: shortText }),
  z.object({ stopped: z.literal(true) }),
]);
export type Outcome = z.output<typeof Outcome>;

const Pattern: z.ZodType<TopicPattern> = z.array(z.string()).min(1);

export const Line = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ready') }),
  /** Still alive; with the condition that is next, when careful. */
  z.object({ is: z.literal('at'), condition: z.number().exactOptional() }),
  /** Of the next conditions, in order. */
  z.object({ is: z.literal('outcomes'), outcomes: z.array(Outcome) }),
  z.object({ is: z.literal('sound'), topics: z.array(Pattern).max(100) }),
  z.object({
    is: z.literal('faulty'),
    message: shortText,
    line: z.number().exactOptional(),
    column: z.number().exactOptional(),
  }),
]);
export type Line = z.output<typeof Line>;
