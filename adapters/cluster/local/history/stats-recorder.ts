import { join } from 'node:path';
import type { Container, PhysOperator } from '../../../../lib/index.js';
import { openPartWriter, type PartWriter } from '../../part-files/writer.js';
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

export interface StatsRecorderOptions extends StatsLimits {
  readonly everyMillis: number;
  readonly now: () => number;
  readonly onProblem: (error: unknown) => void;
}

const maxPendingBytes = 256 * 1024;
const smallestBytes = 64 * 1024;
/** Containers and partitions that the meta file tells of: the newest. */
const maxMetaLines = 1000;

/** One collection, and what its meta file tells of each id. */
interface Book {
  readonly writer: PartWriter;
  readonly meta: Map<string, string>;
}

export function createStatsRecorder(application: string, options: StatsRecorderOptions): StatsRecorder {
  const { now, onProblem } = options;
  const books = new Map<string, Promise<Book>>();
  let view: StatsView | undefined;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;

  /** All collections together keep to the limit. */
  function book(folder: string, of: number): Promise<Book> {
    const known = books.get(folder);
    if (known) return known;
    const maxBytes = Math.max(smallestBytes, options.statsBytes / of);
    const opened = openPartWriter(join(application, 'stats', folder), {
      format: statsFormat,
      maxPartBytes: Math.min(1024 * 1024, maxBytes / 8),
      maxPartMillis: Math.min(3_600_000, options.statsMillis / 8),
      maxBytes,
      maxMillis: options.statsMillis,
      maxPendingBytes,
      onProblem,
    }).then((writer) => ({ writer, meta: new Map<string, string>() }));
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

  async function recordContainers(found: readonly Container[], of: number, at: number): Promise<void> {
    const kept = await book('containers', of);
    describe(
      kept,
      found.map((container) => [container.id, containerMeta(container)]),
    );
    for (const container of found) kept.writer.append(containerLine(container, at));
  }

  async function recordOperators(name: string, own: readonly PhysOperator[], of: number, at: number) {
    const kept = await book(join('operators', folderOf(name)), of);
    describe(
      kept,
      own.map((operator) => [operator.id, operatorMeta(operator)]),
    );
    // Nothing has been measured before the first heartbeat.
    for (const operator of own)
      if (operator.container !== null && operator.lastHeartbeat >= 0)
        kept.writer.append(operatorLine(operator, at));
  }

  async function record(withContainers: boolean): Promise<void> {
    if (!view) return;
    const at = now();
    const byName = new Map<string, PhysOperator[]>();
    for (const operator of view.operators())
      byName.set(operator.name, [...(byName.get(operator.name) ?? []), operator]);
    const of = byName.size + 1;
    try {
      if (withContainers) await recordContainers(view.containers(), of, at);
      for (const [name, own] of byName) await recordOperators(name, own, of, at);
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
      // The containers have ended: what they had free is no figure of theirs any more.
      await tick(false);
      view = undefined;
      await Promise.all((await writers()).map((writer) => writer.end()));
    },
  };
}

const containerMeta = ({ id, jvmName, host, memoryMBAllocated }: Container): string =>
  `${id}:${JSON.stringify({ id, host, jvmName, memoryMBAllocated })}`;

const operatorMeta = ({ id, name, className, unifierClass, logicalName }: PhysOperator): string =>
  JSON.stringify({ id, name, className, unifierClass, logicalName });
