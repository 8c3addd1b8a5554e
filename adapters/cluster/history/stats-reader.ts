import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  BadRequest,
  type ContainerStats,
  type ContainerStatsMeta,
  NotFound,
  type OperatorStats,
  type StatsRange,
  type StatsReader,
} from '../../../lib/index.js';
import type { PartIndex } from '../part-files/index-line.js';
import type { PartLine, PartReader } from '../part-files/reader.js';

export interface StatsReaderOptions {
  readonly applicationId: string;
  /** Nothing is recorded any more. */
  readonly isOver: boolean;
}

/** Where it is kept, and what the lines of one engine say. */
export interface StatsSource {
  containers(signal?: AbortSignal): Promise<PartReader>;
  operator(operatorName: string, signal?: AbortSignal): Promise<PartReader>;
  parseContainer(line: string): ContainerStats | undefined;
  parseOperator(line: string): OperatorStats | undefined;
}

const ContainerFacts = z.object({
  id: z.string(),
  host: z.string(),
  jvmName: z.string(),
  memoryMBAllocated: z.coerce.number(),
});
const OperatorFacts = z.object({ id: z.union([z.string(), z.number().transform(String)]) });

export function createStatsReader(source: StatsSource, options: StatsReaderOptions): StatsReader {
  const { applicationId, isOver } = options;

  async function open(opening: Promise<PartReader>, missing: NotFound, signal: AbortSignal | undefined) {
    const reader = await opening;
    const meta = await reader.meta(signal);
    if (!meta) throw missing;
    return { reader, facts: meta.slice(1) };
  }

  const openContainers = (signal: AbortSignal | undefined) =>
    open(source.containers(signal), new NotFound('record of the containers of', applicationId), signal);

  const openOperator = (name: string, signal: AbortSignal | undefined) =>
    open(source.operator(name, signal), new NotFound('operator with recorded statistics', name), signal);

  return {
    async containersMeta({ signal } = {}) {
      const { reader, facts } = await openContainers(signal);
      return {
        appId: applicationId,
        containers: Object.fromEntries(facts.flatMap(containerOf)),
        ...summed(await reader.index(signal), isOver),
      };
    },
    async containers(range, { signal } = {}) {
      const { reader } = await openContainers(signal);
      return itemsOf(reader, range, source.parseContainer, signal);
    },
    async operatorMeta(operatorName, { signal } = {}) {
      const { reader, facts } = await openOperator(operatorName, signal);
      return {
        appId: applicationId,
        operatorName,
        operatorIds: facts.flatMap((text) => factsOf(text, OperatorFacts)?.id ?? []),
        ...summed(await reader.index(signal), isOver),
      };
    },
    async operator(operatorName, range, { signal } = {}) {
      const { reader } = await openOperator(operatorName, signal);
      return itemsOf(reader, range, source.parseOperator, signal);
    },
  };
}

function containerOf(text: string): [string, ContainerStatsMeta['containers'][string]][] {
  const colon = text.indexOf(':');
  const facts = factsOf(text.slice(colon + 1), ContainerFacts);
  return facts ? [[text.slice(0, colon), facts]] : [];
}

function factsOf<T>(text: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function summed({ parts, ended }: PartIndex, isOver: boolean) {
  if (parts.length === 0) return { startTime: 0, endTime: 0, count: 0, ended: ended || isOver };
  return {
    startTime: parts.reduce((least, { first }) => Math.min(least, first), Infinity),
    endTime: parts.reduce((most, { last }) => Math.max(most, last), 0),
    count: parts.reduce((sum, { count }) => sum + count, 0),
    ended: ended || isOver,
  };
}

/** Without a range the newest; in a range all of it, or none. */
async function itemsOf<T>(
  reader: PartReader,
  { startTime: from, endTime: to, limit }: StatsRange,
  parse: (line: string) => T | undefined,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  const itemOf = ({ line }: PartLine): T[] => {
    const item = parse(line);
    return item === undefined ? [] : [item];
  };
  if (from === undefined && to === undefined) return inSlices(await reader.newest(limit, signal), itemOf);
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const found: T[] = [];
  for await (const line of reader.lines({ ...range, signal })) {
    found.push(...itemOf(line));
    if (found.length > limit)
      throw new BadRequest(`The range holds more than ${limit} items: ask for a shorter one`, { limit });
  }
  return found;
}

const sliceLength = 200;

/** The host's event loop gets its turn in between. */
async function inSlices<T>(lines: readonly PartLine[], itemOf: (line: PartLine) => T[]): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < lines.length; start += sliceLength) {
    found.push(...lines.slice(start, start + sliceLength).flatMap(itemOf));
    await setImmediate();
  }
  return found;
}
