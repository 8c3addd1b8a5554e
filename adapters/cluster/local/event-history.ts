import { appendFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Event } from '../../../lib/index.js';
import { readIfThere } from '../part-files/whole-files.js';

const maxFileBytes = 1024 * 1024;
const Line = z.object({
  id: z.string(),
  timestamp: z.number(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export interface EventHistory {
  /** Keeps and returns the event. */
  add(type: string, data: Readonly<Record<string, string>>, at: number): Event;
  all(): readonly Event[];
  /** Resolves when everything is in the file. */
  settled(): Promise<void>;
}

/** The newest events of one application, in memory and in two files that take turns. */
export async function openEventHistory(directory: string, limit: number): Promise<EventHistory> {
  const path = join(directory, 'events.jsonl');
  let events = await readEvents(directory, limit);
  let bytes = Buffer.byteLength((await readIfThere(path)) ?? '');
  let next = Number(events.at(-1)?.id ?? 0) + 1;
  let last = Promise.resolve();

  async function write(text: string): Promise<void> {
    if (bytes > maxFileBytes) {
      await rename(path, `${path}.1`);
      bytes = 0;
    }
    bytes += Buffer.byteLength(text);
    await appendFile(path, text);
  }

  return {
    add(type, data, at) {
      const event = { id: String(next++), timestamp: at, type, data };
      events.push(event);
      if (events.length > limit * 1.2) events = events.slice(-limit);
      last = last.then(() => write(`${JSON.stringify(event)}\n`)).catch(() => {});
      return event;
    },
    all: () => events,
    settled: () => last,
  };
}

/** Lines that a crash cut are left out. */
export async function readEvents(directory: string, limit: number): Promise<Event[]> {
  const path = join(directory, 'events.jsonl');
  const text = `${(await readIfThere(`${path}.1`)) ?? ''}${(await readIfThere(path)) ?? ''}`;
  const events = text.split('\n').flatMap((line) => {
    try {
      return [Line.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
  return events.slice(-limit);
}

export function selectEvents(
  events: readonly Event[],
  query: { from?: number; to?: number; offset: number; limit: number },
): readonly Event[] {
  const { from = -Infinity, to = Infinity, offset, limit } = query;
  const chosen = events.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  if (query.from === undefined && query.to === undefined) {
    const end = chosen.length - offset;
    return chosen.slice(Math.max(0, end - limit), Math.max(0, end));
  }
  return chosen.slice(offset, offset + limit);
}
