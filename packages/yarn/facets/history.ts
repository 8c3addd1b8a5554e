import { createEventReader, createPartReader, createStatsReader, eventFormat } from '@headgate/history';
import type { PartFormat } from '@headgate/history/formats';
import {
  ContainerStats,
  type DeployHistoryReader,
  type EventReader,
  NotFound,
  OperatorStats,
  type StatsReader,
} from 'headgate/driver-kit';
import * as z from 'zod';
import { clusterPartFiles } from '../files/part-files.js';
import { parseKeepingIntegers } from '../wire/json.js';
import { Quantity } from '../wire/values.js';
import type { ApplicationFiles } from './application-files.js';

/** The folder is asked for at each reading: a master may not have told it before. */
export type FilesOf = (signal?: AbortSignal) => Promise<ApplicationFiles>;

async function readerOf(filesOf: FilesOf, folder: string, format: PartFormat, signal?: AbortSignal) {
  const application = await filesOf(signal);
  return createPartReader(
    clusterPartFiles(application.files, `${application.folder}/${folder}`, format),
    format,
  );
}

export const eventFacet = (filesOf: FilesOf): EventReader => ({
  async read(query, options) {
    const reader = await readerOf(filesOf, 'events', eventFormat, options?.signal);
    return createEventReader(reader).read(query, options);
  },
});

export const deployFacet = (filesOf: FilesOf): DeployHistoryReader => ({
  async read(operatorId, { signal } = {}) {
    const all = await (await filesOf(signal)).deployments(signal);
    const own = all.filter(({ id }) => id === operatorId);
    const last = own.at(-1);
    if (!last) throw new NotFound('physical operator', operatorId);
    return {
      name: last.name,
      containers: own.map(({ container, startTime }) => ({ container, startTime })),
    };
  },
});

/** `{index}:{ms}:{json}`, with the index of a container, or the id of a physical operator. */
const line = /^(\d{1,15}):(\d{1,15}):(.*)$/s;

const statsFormat: PartFormat = {
  timeOf(text) {
    const timestamp = line.exec(text)?.[2];
    return timestamp === undefined ? undefined : Number(timestamp);
  },
};

const Measured = z.looseObject({
  numOperators: Quantity,
  memoryMBFree: Quantity,
  gcCollectionTime: Quantity,
  gcCollectionCount: Quantity,
});

const MeasuredOperator = z.looseObject({
  container: z.string().nullable().default(null),
  host: z.string().nullable().default(null),
  totalTuplesProcessed: Quantity,
  totalTuplesEmitted: Quantity,
  tuplesProcessedPSMA: Quantity,
  tuplesEmittedPSMA: Quantity,
  cpuPercentageMA: Quantity,
  latencyMA: Quantity,
  ports: z
    .array(
      z.looseObject({
        totalTuples: Quantity,
        tuplesPSMA: Quantity,
        bufferServerBytesPSMA: Quantity,
        queueSizeMA: Quantity,
      }),
    )
    .default([]),
});

/** Written only when the attribute `ENABLE_STATS_RECORDING` of the application says so. */
export const statsFacet = (filesOf: FilesOf, applicationId: string, isOver: boolean): StatsReader =>
  createStatsReader(
    {
      containers: (signal) => readerOf(filesOf, 'stats/containers', statsFormat, signal),
      operator(name, signal) {
        if (/[/\\]|^\.*$/.test(name)) throw new NotFound('operator', name);
        return readerOf(filesOf, `stats/operators/${name}`, statsFormat, signal);
      },
      parseContainer(text) {
        const item = itemOf(text, Measured);
        return item && ContainerStats.safeParse({ ...item, containerId: item.id }).data;
      },
      parseOperator(text) {
        const item = itemOf(text, MeasuredOperator);
        return item && OperatorStats.safeParse({ ...item, operatorId: item.id }).data;
      },
    },
    { applicationId, isOver },
  );

function itemOf<T>(text: string, schema: z.ZodType<T>) {
  const [, id, timestamp, json = ''] = line.exec(text) ?? [];
  try {
    return { id, timestamp: Number(timestamp), stats: schema.parse(parseKeepingIntegers(json)) };
  } catch {
    return undefined;
  }
}
