import type { Pattern } from '../../formats/pattern.js';
import type { OpenLog } from '../../interfaces/logs.js';
import type { TimeSlice } from '../../runtime/event-loop.js';
import { createAnswerSize } from './answer-size.js';
import type { RawLine } from './line-splitter.js';
import { linesForwards } from './log-lines.js';
import type { ByteSpan } from './log-range.js';

/** The lines of this part, those that match when there is a pattern. */
export async function searchLog(
  log: OpenLog,
  span: ByteSpan,
  { pattern, slice }: { pattern: Pattern | undefined; slice: TimeSlice },
): Promise<RawLine[]> {
  const found: RawLine[] = [];
  const size = createAnswerSize(
    'ask for less with start and end, lastNBytes or grep; go on at details.reached',
  );
  for await (const lines of linesForwards(log, span, slice)) {
    for (const line of lines) {
      if (slice.isOver()) await slice.next();
      const isWanted = matches(line.text, pattern, slice);
      if (!(typeof isWanted === 'boolean' ? isWanted : await isWanted)) continue;
      size.add(line.end - line.offset, String(line.offset));
      found.push(line);
    }
  }
  return found;
}

/**
 * Whether the line is wanted. A promise only when it is too long to be looked at in one go, and then it gives its turn
 * away whenever the slice is over: a promise for each line of a log would cost more than the search.
 */
export function matches(
  text: string,
  pattern: Pattern | undefined,
  slice: TimeSlice,
): boolean | Promise<boolean> {
  if (pattern === undefined) return true;
  return text.length <= pattern.reach ? pattern.occursIn(text) : occursInParts(text, pattern, slice);
}

async function occursInParts(text: string, pattern: Pattern, slice: TimeSlice): Promise<boolean> {
  for (const part of pattern.partsOf(text)) {
    if (slice.isOver()) await slice.next();
    if (pattern.occursIn(part)) return true;
  }
  return false;
}
