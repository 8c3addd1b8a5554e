import { createTally, type PartFormat } from './format.js';
import { openPartOf, type PartEntry, type PartIndex, parseIndex, partName } from './index-line.js';
import { linesOf } from './lines.js';
import type { PartFiles } from './source.js';

export interface PartLine {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly line: string;
}

interface LineQuery {
  /** Epoch milliseconds, inclusive. */
  readonly from?: number;
  readonly to?: number;
  /** Closed parts that it refuses are not read either. */
  readonly part?: (entry: PartEntry) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A collection that may grow and lose its oldest parts meanwhile: what was there when a call began is read. */
export interface PartReader {
  /** Lines of `meta.txt`; `undefined` when there is no collection. */
  meta(signal?: AbortSignal): Promise<readonly string[] | undefined>;
  /** All parts, the one that is being written included, for which that is read. */
  index(signal?: AbortSignal): Promise<PartIndex>;
  /** In the order they were written. Parts outside the range are not read; nothing is held but a line and its buffer. */
  lines(query?: LineQuery): AsyncGenerator<PartLine>;
  /**
   * The lines of the newest `count` items, in the order they were written, and fewer of them when they are longer than
   * `maxLength` together; only the parts that hold them are read.
   */
  newest(count: number, signal?: AbortSignal, maxLength?: number): Promise<PartLine[]>;
}

export function createPartReader(files: PartFiles, format: PartFormat): PartReader {
  const readIndex = async (signal?: AbortSignal): Promise<PartIndex> =>
    parseIndex((await files.readText('index.txt', signal)) ?? '');

  async function* linesIn(number: number, signal: AbortSignal | undefined): AsyncGenerator<PartLine> {
    for await (const line of linesOf(files.stream(partName(number), signal))) {
      const time = format.timeOf(line);
      if (time !== undefined) yield { time, line };
    }
  }

  async function index(signal?: AbortSignal): Promise<PartIndex> {
    const { parts, ended } = await readIndex(signal);
    const tally = createTally(openPartOf({ parts, ended }), format);
    for await (const { time, line } of linesIn(openPartOf({ parts, ended }), signal)) tally.add(time, line);
    const open = tally.entry();
    return { parts: open ? [...parts, open] : parts, ended };
  }

  async function* lines(query: LineQuery = {}): AsyncGenerator<PartLine> {
    const { from = -Infinity, to = Infinity, part = () => true, signal } = query;
    const known = await readIndex(signal);
    const wanted = known.parts.filter((entry) => entry.last >= from && entry.first <= to && part(entry));
    for (const number of [...wanted.map((entry) => entry.number), openPartOf(known)]) {
      signal?.throwIfAborted();
      for await (const found of linesIn(number, signal))
        if (found.time >= from && found.time <= to) yield found;
    }
  }

  return {
    meta: async (signal) => (await files.readText('meta.txt', signal))?.split('\n').slice(0, -1),
    index,
    lines,
    async newest(count, signal, maxLength = Infinity) {
      const { parts } = await index(signal);
      let missing = count;
      const start = parts.findLast((entry) => {
        missing -= entry.count;
        return missing <= 0;
      });
      const kept: { readonly found: PartLine; readonly items: number }[] = [];
      let items = 0;
      let length = 0;
      const dropOldest = () => {
        const oldest = kept.shift();
        items -= oldest?.items ?? 0;
        length -= oldest?.found.line.length ?? 0;
      };
      for await (const found of lines({ part: ({ number }) => number >= (start?.number ?? 0), signal })) {
        const own = format.countOf ? format.countOf(found.line) : 1;
        items += own;
        length += found.line.length;
        kept.push({ found, items: own });
        while (kept.length > 1 && (items - (kept[0]?.items ?? 0) >= count || length > maxLength))
          dropOldest();
      }
      return count > 0 ? kept.map(({ found }) => found) : [];
    },
  };
}
