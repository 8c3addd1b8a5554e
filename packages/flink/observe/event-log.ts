import { join } from 'node:path';
import {
  createPartReader,
  eventFormat,
  formatEvent,
  localPartFiles,
  openPartWriter,
  type PartWriter,
  parseEvent,
} from '@headgate/history';
import { type Event, keyedMutex } from 'headgate/driver-kit';

/** Events of jobs on the disk: they outlive the process, and are kept longer than Flink does. */
export interface EventLog {
  /** The newest, in the order in which they were kept; none where the disk gives none. */
  read(jobId: string): Promise<readonly Event[]>;
  /** Resolves when they are written, or lost to the disk. */
  append(jobId: string, events: readonly Event[]): Promise<void>;
  /** Nothing more comes for now. */
  leave(jobId: string): Promise<void>;
  uses(jobId: string): boolean;
  close(): Promise<void>;
}

const maxPendingBytes = 1024 * 1024;

export function createEventLog(deps: {
  readonly folderOf: (jobId: string) => string;
  readonly limits: { readonly events: number; readonly eventBytes: number };
  /** For what the disk refuses. */
  readonly onProblem: (error: unknown) => void;
}): EventLog {
  const { limits, onProblem } = deps;
  const directoryOf = (jobId: string) => join(deps.folderOf(jobId), 'events');
  const writers = new Map<string, PartWriter>();
  // Of each job one thing after the other: its folder has one writer at a time.
  const inTurn = keyedMutex();

  async function writerOf(jobId: string): Promise<PartWriter> {
    const known = writers.get(jobId);
    if (known) return known;
    const writer = await openPartWriter(directoryOf(jobId), {
      format: eventFormat,
      maxPartBytes: Math.min(1024 * 1024, limits.eventBytes / 4),
      maxPartMillis: 3_600_000,
      maxBytes: limits.eventBytes,
      maxPendingBytes,
      onProblem,
    });
    writers.set(jobId, writer);
    return writer;
  }

  const leave = (jobId: string) =>
    inTurn(jobId, async () => {
      const writer = writers.get(jobId);
      writers.delete(jobId);
      await writer?.close();
    });

  return {
    read: (jobId) =>
      inTurn(jobId, async () => {
        const reader = createPartReader(localPartFiles(directoryOf(jobId)), eventFormat);
        return (await reader.newest(limits.events)).flatMap(({ line }) => parseEvent(line) ?? []);
      }).catch((error: unknown) => {
        onProblem(error);
        return [];
      }),
    append: (jobId, events) =>
      inTurn(jobId, async () => {
        const writer = await writerOf(jobId);
        for (const event of events) writer.append(formatEvent(event));
        await writer.flushed();
      }).catch(onProblem),
    leave,
    uses: (jobId) => writers.has(jobId),
    async close() {
      await Promise.all([...writers.keys()].map(leave));
    },
  };
}
