import { join } from 'node:path';
import {
  createEventReader,
  createPartReader,
  eventFormat,
  formatEvent,
  localPartFiles,
  openPartWriter,
  type PartReader,
  parseEvent,
} from '@headgate/history';
import type { Event, EventReader } from 'headgate/driver-kit';
import { eventData } from './event-data.js';

export interface EventHistory {
  /** Keeps and returns the event. */
  add(type: string, data: Readonly<Record<string, string>>, at: number): Event;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
  /** Nothing is added any more. */
  end(): Promise<void>;
}

export interface EventLimits {
  /** Events of one application, bytes; the oldest are deleted. */
  readonly eventBytes: number;
}

const maxPendingBytes = 1024 * 1024;
const directoryOf = (application: string) => join(application, 'events');

/** Goes on with what is there: ids grow. */
export async function openEventHistory(
  application: string,
  options: EventLimits & { readonly onProblem: (error: unknown) => void },
): Promise<EventHistory> {
  const directory = directoryOf(application);
  const writer = await openPartWriter(directory, {
    format: eventFormat,
    maxPartBytes: Math.min(1024 * 1024, options.eventBytes / 4),
    maxPartMillis: 3_600_000,
    maxBytes: options.eventBytes,
    maxPendingBytes,
    onProblem: options.onProblem,
  });
  const [last] = await readerOf(application).newest(1);
  let next = Number((last && parseEvent(last.line))?.id ?? 0) + 1;
  let isThere = false;
  return {
    add(type, data, at) {
      const event = { id: String(next++), timestamp: at, type, data: eventData(type, data) };
      if (!isThere) writer.setMeta(['1.0']);
      isThere = true;
      writer.append(formatEvent(event));
      return event;
    },
    settled: writer.flushed,
    end: writer.end,
  };
}

const readerOf = (application: string): PartReader =>
  createPartReader(localPartFiles(directoryOf(application)), eventFormat);

/** `settled` is awaited before each reading. */
export const eventReader = (application: string, settled: () => Promise<void>): EventReader =>
  createEventReader(readerOf(application), settled);
