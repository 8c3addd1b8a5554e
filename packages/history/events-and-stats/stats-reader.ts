import {
  BadRequest,
  type ContainerStats,
  type ContainerStatsMeta,
  NotFound,
  type OperatorStats,
  type StatsRange,
  type StatsReader,
  timeSlice,
} from 'headgate/driver-kit';
import * as z from 'zod';
import type { PartIndex } from '../part-files/index-line.js';
import type { PartLine, PartReader } from '../part-files/reader.js';

export interface StatsReaderOptions {
  readonly applicationId: string;
  /** Nothing is recorded any more. */
  readonly isOver: boolean;
}

/** Where it is kept, and what the lines of one engine say. */
interface StatsSource {
  containers(signal?: AbortSignal): Promise<PartReader>;
  operator(operatorName: string, signal?: AbortSignal): Promise<PartReader>;
  parseContainer(line: string): ContainerStats | undefined;
  parseOperator(line: string): OperatorStats | undefined;
}

const ContainerFacts = z.object({
  id: z.string(),
  host: z.string(),
  jvmName: z.string(),
  memoryMBAllocated: z.coerce.number().optional(),
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
        containers: Object.fromEntries(
          facts.flatMap(containerOf).map(([, container]) => [container.id, container]),
        ),
        ...summed(await reader.index(signal), isOver),
      };
    },
    async containers(range, { signal } = {}) {
      const { reader, facts } = await openContainers(signal);
      const items = await itemsOf(reader, range, source.parseContainer, signal);
      // Lines name a container by its place in the list.
      const ids = new Map(facts.flatMap(containerOf).map(([place, { id }]) => [place, id]));
      return items.map((item) => ({ ...item, containerId: ids.get(item.containerId) ?? item.containerId }));
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

/** Characters of the lines of one answer: an operator may have written counters and metrics of any size. */
const maxLength = 8 * 1024 * 1024;

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
  if (from === undefined && to === undefined)
    return inSlices(await reader.newest(limit, signal, maxLength), itemOf);
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const found: T[] = [];
  let length = 0;
  for await (const line of reader.lines({ ...range, signal })) {
    found.push(...itemOf(line));
    length += line.line.length;
    if (length > maxLength)
      throw new BadRequest(
        'TOO_MUCH_ASKED',
        'The range holds more than is told at once: ask for a shorter one',
        { maxLength },
      );
    if (found.length > limit)
      throw new BadRequest(
        'TOO_MUCH_ASKED',
        `The range holds more than ${limit} items: ask for a shorter one`,
        { limit },
      );
  }
  return found;
}

/** The host's event loop gets its turn in between. */
async function inSlices<T>(lines: readonly PartLine[], itemOf: (line: PartLine) => T[]): Promise<T[]> {
  const slice = timeSlice();
  const found: T[] = [];
  for (const line of lines) {
    found.push(...itemOf(line));
    if (slice.isOver()) await slice.next();
  }
  return found;
}
