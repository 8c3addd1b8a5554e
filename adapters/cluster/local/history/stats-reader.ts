import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import {
  BadRequest,
  type ContainerStatsMeta,
  NotFound,
  type StatsRange,
  type StatsReader,
} from '../../../../lib/index.js';
import type { PartIndex } from '../../part-files/index-line.js';
import { createPartReader, type PartLine, type PartReader } from '../../part-files/reader.js';
import { localPartFiles } from '../../part-files/source.js';
import { folderOf, parseContainerLine, parseOperatorLine, statsFormat } from './stats-lines.js';

export interface StatsReaderOptions {
  readonly applicationId: string;
  /** Nothing is recorded any more. */
  readonly isOver: boolean;
  /** Awaited before each reading. */
  readonly settled: () => Promise<void>;
}

const ContainerFacts = z.object({
  id: z.string(),
  host: z.string(),
  jvmName: z.string(),
  memoryMBAllocated: z.number(),
});
const OperatorFacts = z.object({ id: z.string() });

/** `application` is the directory of the application's files. */
export function statsReader(application: string, options: StatsReaderOptions): StatsReader {
  const { applicationId, isOver } = options;

  async function open(folder: string, missing: () => NotFound, signal: AbortSignal | undefined) {
    await options.settled();
    const files = localPartFiles(join(application, 'stats', folder));
    const reader = createPartReader(files, statsFormat);
    const meta = await reader.meta(signal);
    if (!meta) throw missing();
    return { reader, facts: meta.slice(1) };
  }

  const openContainers = (signal: AbortSignal | undefined) =>
    open('containers', () => new NotFound('record of the containers of', applicationId), signal);

  const openOperator = (name: string, signal: AbortSignal | undefined) =>
    open(
      join('operators', folderOf(name)),
      () => new NotFound('operator with recorded statistics', name),
      signal,
    );

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
      return itemsOf(reader, range, parseContainerLine, signal);
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
      return itemsOf(reader, range, parseOperatorLine, signal);
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
