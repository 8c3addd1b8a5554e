import * as z from 'zod';

// Every number that is sent or answered says what it counts, for programs too: `x-unit` of its schema.

/** What is measured, and what each unit means. */
const measures = {
  'epoch ms': 'milliseconds since 1970-01-01T00:00:00Z',
  ms: 'milliseconds',
  s: 'seconds',
  bytes: 'bytes',
  KB: '1024 bytes',
  MB: '1024 KB',
  'bytes/s': 'bytes per second',
  'tuples/s': 'tuples per second',
  percent: 'parts of a hundred; of processor time: of one core',
} as const;

/** What is counted one by one. */
type Counted =
  | 'applications'
  | 'checkpoints'
  | 'collections'
  | 'containers'
  | 'cores'
  | 'evaluations'
  | 'events'
  | 'failures'
  | 'frames'
  | 'items'
  | 'nodes'
  | 'operators'
  | 'records'
  | 'rows'
  | 'samples'
  | 'tuples'
  | 'windows';

type Unit = keyof typeof measures | Counted;

/** For `meta` of any schema of a number. */
export const inUnit = (unit: Unit) => ({ 'x-unit': unit });

export const quantity = (unit: Unit) => z.number().meta(inUnit(unit));

/** For the descriptions of documents. */
export const aboutUnits = `The unit of a number is its \`x-unit\`: a thing that is counted, or one of ${Object.entries(
  measures,
)
  .map(([unit, meaning]) => `\`${unit}\` (${meaning})`)
  .join(', ')}.`;
