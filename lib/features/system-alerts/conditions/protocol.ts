import * as z from 'zod';
import type { Condition, TopicPattern } from './condition.js';

// What host and script process say to each other. Orders are a JSON text each, and after it the topics' texts as they
// are, each of them behind four bytes with its length. Answers are lines of JSON, and nothing in them is believed.

export type ScriptOrder =
  | { readonly is: 'check'; readonly script: string }
  | {
      readonly is: 'round';
      /** The numbers of topics' texts that this process does not have, and that follow. */
      readonly texts: readonly number[];
      /** Texts that are of no use any more. */
      readonly forgetTexts: readonly number[];
      /** Scripts that this process does not know yet, by a number. */
      readonly scripts: readonly (readonly [text: string, script: number])[];
      /** Scripts that nobody has any more. */
      readonly forgetScripts: readonly number[];
      readonly snapshots: readonly OrderedSnapshot[];
      /** Conditions that are done, counted through all snapshots. */
      readonly from: number;
      /** For one condition. */
      readonly limitMillis: number;
      /** For all conditions of one owner. */
      readonly ownerMillis?: number;
      /** Owners who have had it, with another process. */
      readonly usedUp: readonly string[];
    };

export interface OrderedSnapshot {
  readonly topics: readonly (readonly [name: string, text: number])[];
  /** Absent: those of the snapshot that was last at this place. */
  readonly conditions?: OrderedConditions;
  readonly owner?: string;
}

export interface OrderedConditions {
  /** A condition for each. */
  readonly scripts: readonly number[];
  /** The conditions that are asked what they read, by their place in `scripts`. */
  readonly asked: readonly (readonly [place: number, when: NonNullable<Condition['fieldsWhen']>])[];
}

const shortText = z.string().max(1000);

const Field = z.object({
  topic: z.string(),
  path: z.array(z.string()),
  value: z.string().max(300).exactOptional(),
});

/** What came of a condition, when there is more to say than that it holds or not. */
export const Outcome = z.union([
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
  z.object({
    is: z.literal('progress'),
    /** A character for each of the next conditions: 1 holds, 0 does not, - was skipped, ? see `told`. */
    done: z.string().regex(/^[01?-]*$/),
    told: z.array(Outcome),
    /** The one after those is begun, and may be the end of this process: it did not finish it before. */
    isRisky: z.boolean(),
  }),
  z.object({ is: z.literal('sound'), topics: z.array(Pattern).max(100) }),
  z.object({
    is: z.literal('faulty'),
    message: shortText,
    line: z.number().exactOptional(),
    column: z.number().exactOptional(),
  }),
]);
export type Line = z.output<typeof Line>;
