import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container, PhysOperator } from '../../../../lib/driver-kit.js';
import { openPartWriter, type PartWriter, type PartWriterOptions } from '../../part-files/writer.js';
import { containerLine, folderOf, operatorLine, statsFormat } from './stats-lines.js';

export interface StatsLimits {
  /** Statistics of one application, all its operators and containers together, bytes. */
  readonly statsBytes: number;
  /** How long they are kept, milliseconds. */
  readonly statsMillis: number;
}

/** What there is to record, measured now. */
export interface StatsView {
  containers(): readonly Container[];
  operators(): readonly PhysOperator[];
}

export interface StatsRecorder {
  /** Records from now on, at once for the first time. */
  watch(view: StatsView): void;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
  /** Records a last time. */
  end(): Promise<void>;
}

interface StatsRecorderOptions extends StatsLimits {
  readonly everyMillis: number;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

const maxPendingBytes = 256 * 1024;
/** Of each operator there is at least so much. */
const smallestBytes = 16 * 1024;
/** Operators that left the plan whose statistics are kept: the newest. */
const maxGone = 50;
/** Containers and partitions that the meta file tells of: the newest. */
const maxMetaLines = 1000;

/** One collection, and what its meta file tells of each id. */
interface Book {
  readonly directory: string;
  readonly writer: PartWriter;
  readonly meta: Map<string, string>;
}

export function createStatsRecorder(application: string, options: StatsRecorderOptions): StatsRecorder {
  const { now, onProblem } = options;
  const books = new Map<string, Promise<Book>>();
  let view: StatsView | undefined;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;

  /** All collections together keep to the limit, also those that come later. */
  const limits: PartWriterOptions = {
    format: statsFormat,
    get maxBytes() {
      return Math.max(smallestBytes, options.statsBytes / books.size);
    },
    get maxPartBytes() {
      return Math.min(1024 * 1024, this.maxBytes / 8);
    },
    maxPartMillis: Math.min(3_600_000, options.statsMillis / 8),
    maxMillis: options.statsMillis,
    maxPendingBytes,
    onProblem,
  };

  function book(folder: string): Promise<Book> {
    const known = books.get(folder);
    if (known) return known;
    const directory = join(application, 'stats', folder);
    const opened = openPartWriter(directory, limits).then((writer) => ({
      directory,
      writer,
      meta: new Map<string, string>(),
    }));
    opened.catch(() => books.delete(folder));
    books.set(folder, opened);
    return opened;
  }

  function describe({ writer, meta }: Book, facts: readonly (readonly [id: string, text: string])[]): void {
    const before = meta.size;
    for (const [id, text] of facts) if (!meta.has(id)) meta.set(id, text);
    if (meta.size === before && before > 0) return;
    for (const id of meta.keys()) if (meta.size > maxMetaLines) meta.delete(id);
    writer.setMeta(['1.0', ...meta.values()]);
  }

  async function recordContainers(found: readonly Container[], at: number): Promise<void> {
    const kept = await book(containersFolder);
    describe(
      kept,
      found.map((container) => [container.id, containerMeta(container)]),
    );
    for (const container of found) kept.writer.append(containerLine(container, at));
  }

  async function recordOperators(name: string, own: readonly PhysOperator[], at: number) {
    const kept = await book(operatorFolder(name));
    describe(
      kept,
      own.map((operator) => [operator.id, operatorMeta(operator)]),
    );
    // Nothing has been measured before the first heartbeat.
    for (const operator of own)
      if (operator.container !== null && operator.lastHeartbeat >= 0)
        kept.writer.append(operatorLine(operator, at));
  }

  /** Books are in the order of their beginning. */
  async function forgetGone(present: ReadonlySet<string>): Promise<void> {
    const gone = [...books].filter(([folder]) => !present.has(folder));
    for (const [folder, opened] of gone.slice(0, Math.max(0, gone.length - maxGone))) {
      const { writer, directory } = await opened;
      await writer.close();
      books.delete(folder);
      await rm(directory, { recursive: true, force: true });
    }
  }

  async function record(withContainers: boolean): Promise<void> {
    if (!view) return;
    const at = now();
    const byName = new Map<string, PhysOperator[]>();
    for (const operator of view.operators())
      byName.set(operator.name, [...(byName.get(operator.name) ?? []), operator]);
    try {
      if (withContainers) await recordContainers(view.containers(), at);
      for (const [name, own] of byName) await recordOperators(name, own, at);
      await forgetGone(new Set([containersFolder, ...[...byName.keys()].map(operatorFolder)]));
    } catch (error) {
      onProblem(error);
    }
  }

  function tick(withContainers = true): Promise<void> {
    recording ??= record(withContainers).finally(() => {
      recording = undefined;
    });
    return recording;
  }

  const writers = async (): Promise<PartWriter[]> => {
    const opened = await Promise.allSettled(books.values());
    return opened.flatMap((result) => (result.status === 'fulfilled' ? result.value.writer : []));
  };

  return {
    watch(of) {
      view = of;
      clearInterval(timer);
      timer = setInterval(tick, options.everyMillis);
      tick();
    },
    async settled() {
      await recording;
      await Promise.all((await writers()).map((writer) => writer.flushed()));
    },
    async end() {
      clearInterval(timer);
      await recording;
      // The containers have ended: what they had free is no metric of theirs any more.
      await tick(false);
      view = undefined;
      await Promise.all((await writers()).map((writer) => writer.end()));
    },
  };
}

const containersFolder = 'containers';
const operatorFolder = (name: string): string => join('operators', folderOf(name));

const containerMeta = ({ id, jvmName, host, memoryMBAllocated }: Container): string =>
  `${id}:${JSON.stringify({ id, host, jvmName, memoryMBAllocated })}`;

const operatorMeta = ({ id, name, className, unifierClass, logicalName }: PhysOperator): string =>
  JSON.stringify({ id, name, className, unifierClass, logicalName });
