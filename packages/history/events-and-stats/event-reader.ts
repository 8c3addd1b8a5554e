import type { Event, EventReader } from 'headgate/driver-kit';
import type { PartReader } from '../part-files/reader.js';
import { parseEvent } from './event-lines.js';

/** `settled` is awaited before each reading. */
export const createEventReader = (reader: PartReader, settled = async () => {}): EventReader => ({
  async read({ offset, limit, ...range }, { signal } = {}) {
    await settled();
    if (range.from === undefined && range.to === undefined) {
      const lines = await reader.newest(offset + limit, signal);
      return lines
        .slice(0, Math.max(0, lines.length - offset))
        .slice(-limit)
        .flatMap(eventOf);
    }
    const found: Event[] = [];
    let skipped = 0;
    for await (const line of reader.lines({ ...range, signal })) {
      if (skipped++ < offset) continue;
      found.push(...eventOf(line));
      if (found.length === limit) break;
    }
    return found;
  },
});

const eventOf = ({ line }: { readonly line: string }): Event[] => {
  const event = parseEvent(line);
  return event ? [event] : [];
};
