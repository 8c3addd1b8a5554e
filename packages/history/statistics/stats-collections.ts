import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openPartWriter, type PartWriter, type PartWriterOptions } from '../part-files/writer.js';
import { statsFormat } from './stats-lines.js';

export interface StatsLimits {
  /** Statistics of one application, all its operators and containers together, bytes. */
  readonly statsBytes: number;
  /** How long they are kept, milliseconds. */
  readonly statsMillis: number;
}

export interface StatsCollectionsOptions extends StatsLimits {
  readonly onProblem: (error: unknown) => void;
}

const maxPendingBytes = 256 * 1024;
/** Of each operator there is at least so much. */
const smallestBytes = 16 * 1024;
/** Operators that left the plan whose statistics are kept: the newest. */
const maxGone = 50;
/** Containers and partitions that the meta file tells of: the newest. */
const maxMetaLines = 1000;

/** One series of statistics, and what its meta file tells of each id. */
interface StatsCollection {
  /** What is known of an id already stays. */
  describe(facts: readonly (readonly [id: string, text: string])[]): void;
  append(line: string): void;
}

/** The statistics of an application: a folder for all its containers, and one for each operator. */
interface StatsCollections {
  /** Opened when it is first asked for. */
  open(folder: string): Promise<StatsCollection>;
  /** Removes what is not present any more, but for the newest. */
  forgetGone(present: ReadonlySet<string>): Promise<void>;
  /** Resolves when everything is on disk. */
  flushed(): Promise<void>;
  /** Others may go on later. */
  close(): Promise<void>;
  end(): Promise<void>;
}

interface Opened extends StatsCollection {
  readonly directory: string;
  readonly writer: PartWriter;
}

export function createStatsCollections(
  application: string,
  options: StatsCollectionsOptions,
): StatsCollections {
  /** In the order of their beginning. */
  const collections = new Map<string, Promise<Opened>>();

  /** All collections together keep to the limit, also those that come later. */
  const limits: PartWriterOptions = {
    format: statsFormat,
    get maxBytes() {
      return Math.max(smallestBytes, options.statsBytes / collections.size);
    },
    get maxPartBytes() {
      return Math.min(1024 * 1024, this.maxBytes / 8);
    },
    maxPartMillis: Math.min(3_600_000, options.statsMillis / 8),
    maxMillis: options.statsMillis,
    maxPendingBytes,
    onProblem: options.onProblem,
  };

  const writers = async (): Promise<PartWriter[]> => {
    const opened = await Promise.allSettled(collections.values());
    return opened.flatMap((result) => (result.status === 'fulfilled' ? result.value.writer : []));
  };

  return {
    open(folder) {
      const known = collections.get(folder);
      if (known) return known;
      const directory = join(application, 'stats', folder);
      const opened = openPartWriter(directory, limits).then((writer) => openedWith(directory, writer));
      opened.catch(() => collections.delete(folder));
      collections.set(folder, opened);
      return opened;
    },
    async forgetGone(present) {
      const gone = [...collections].filter(([folder]) => !present.has(folder));
      for (const [folder, opened] of gone.slice(0, Math.max(0, gone.length - maxGone))) {
        const { writer, directory } = await opened;
        await writer.close();
        collections.delete(folder);
        await rm(directory, { recursive: true, force: true });
      }
    },
    async flushed() {
      await Promise.all((await writers()).map((writer) => writer.flushed()));
    },
    async close() {
      await Promise.all((await writers()).map((writer) => writer.close()));
    },
    async end() {
      await Promise.all((await writers()).map((writer) => writer.end()));
    },
  };
}

function openedWith(directory: string, writer: PartWriter): Opened {
  const meta = new Map<string, string>();
  return {
    directory,
    writer,
    describe(facts) {
      const before = meta.size;
      for (const [id, text] of facts) if (!meta.has(id)) meta.set(id, text);
      if (meta.size === before && before > 0) return;
      for (const id of meta.keys()) if (meta.size > maxMetaLines) meta.delete(id);
      writer.setMeta(['1.0', ...meta.values()]);
    },
    append: (line) => writer.append(line),
  };
}
