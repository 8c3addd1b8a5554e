import type { Pattern } from '../../core/pattern.js';
import type { Turn } from '../../core/turns.js';
import type { OpenLog } from '../../interfaces/master.js';
import { createAnswerSize } from './answer-size.js';
import type { RawLine } from './line-splitter.js';
import { linesForwards } from './log-lines.js';
import type { ByteSpan } from './log-range.js';

/** The lines of this part, those that match when there is a pattern. */
export async function searchLog(
  log: OpenLog,
  span: ByteSpan,
  { pattern, turn }: { pattern: Pattern | undefined; turn: Turn },
): Promise<RawLine[]> {
  const found: RawLine[] = [];
  const size = createAnswerSize(
    'ask for less with start and end, lastNBytes or grep; go on at details.reached',
  );
  for await (const lines of linesForwards(log, span, turn)) {
    for (const line of lines) {
      if (turn.isOver()) await turn.next();
      const isWanted = matches(line.text, pattern, turn);
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
export function matches(text: string, pattern: Pattern | undefined, turn: Turn): boolean | Promise<boolean> {
  if (pattern === undefined) return true;
  return text.length <= pattern.reach ? pattern.occursIn(text) : occursInParts(text, pattern, turn);
}

async function occursInParts(text: string, pattern: Pattern, turn: Turn): Promise<boolean> {
  for (const part of pattern.partsOf(text)) {
    if (turn.isOver()) await turn.next();
    if (pattern.occursIn(part)) return true;
  }
  return false;
}
