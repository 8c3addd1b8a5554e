import * as z from 'zod';
import { PropertySchema } from './property-schema.js';

// What the engine asks the process that looks at a package's module, and what that may answer: the module shares the
// process and may say anything, so all of it is checked and bounded.

export interface ExamineOrder {
  /** `file:` URL. */
  readonly module: string;
  /** Properties that the classes shall judge; what they are is told when there are none. */
  readonly check: readonly { readonly className: string; readonly properties: unknown }[];
}

const Name = z.string().min(1).max(256);
const Text = z.string().max(4096);
const names = <T extends z.ZodType>(value: T) => z.record(Name, value);

const DescribedPort = z.object({
  optional: z.boolean().exactOptional(),
  type: Text.exactOptional(),
  description: Text.exactOptional(),
  unifier: Name.exactOptional(),
});

export const DescribedClass = z.object({
  className: Name.regex(/\./, 'the name of a class has dots'),
  title: Text,
  description: Text,
  tags: z.array(Name).max(50),
  ancestors: z.array(Name).max(50),
  inputs: names(DescribedPort),
  outputs: names(DescribedPort),
  properties: PropertySchema,
  reaches: names(z.enum(['read', 'write', 'url'])),
  dataSources: names(z.object({ queryTopic: Name, resultTopic: Name, schemaKeys: Name.exactOptional() })),
});
export type DescribedClass = z.output<typeof DescribedClass>;

export const ExamineAnswer = z.union([
  z.object({
    classes: z.array(DescribedClass).max(200),
    /** Classes that can't be described, with their names. */
    problems: z.array(Text).max(200),
  }),
  z.object({
    issues: z
      .array(z.object({ index: z.number().int(), path: z.string().max(1024), message: Text }))
      .max(200),
  }),
  /** The module itself can't be used. */
  z.object({ fault: Text }),
]);
export type ExamineAnswer = z.output<typeof ExamineAnswer>;
