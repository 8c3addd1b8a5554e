import { DamagedDocument, type Recording } from 'headgate/driver-kit';
import type { PartReader } from '../part-files/reader.js';
import { mergeRanges, parseTotals } from './format.js';
import { parseMeta, type RecordingMeta } from './meta.js';

/** Resolves `undefined` when there is no such recording, or none yet. */
export async function readMeta(
  reader: PartReader,
  name: string,
  signal?: AbortSignal,
): Promise<RecordingMeta | undefined> {
  const lines = await reader.meta(signal);
  if (!lines) return undefined;
  try {
    return parseMeta(lines);
  } catch (cause) {
    throw new DamagedDocument(name, cause);
  }
}

/** What the files of a recording tell of it; without an end mark it has ended when it is not active. */
export async function readRecording(
  reader: PartReader,
  of: { readonly id: string; readonly operatorId: string; readonly isActive: boolean },
  signal?: AbortSignal,
): Promise<Recording | undefined> {
  const meta = await readMeta(reader, `The recording ${of.id}`, signal);
  if (!meta) return undefined;
  const index = await reader.index(signal);
  const totals = index.parts.map(({ extra }) => parseTotals(extra));
  const ports = meta.ports.map((port) => ({
    ...port,
    tupleCount: totals.reduce((sum, { tuples }) => sum + (tuples.get(port.id) ?? 0), 0),
  }));
  const skipped = totals.reduce((sum, part) => sum + part.skipped, 0);
  return {
    id: of.id,
    startTime: meta.startTime,
    appId: meta.appId,
    operatorId: of.operatorId,
    containerId: meta.containerId,
    totalTuples: ports.reduce((sum, { tupleCount }) => sum + tupleCount, 0),
    skippedTuples: skipped,
    ports,
    ended: index.ended || !of.isActive,
    windowIdRanges: mergeRanges(totals.flatMap(({ windows }) => windows)).map(({ low, high }) => ({
      low: String(low),
      high: String(high),
    })),
    properties: meta.properties,
  };
}

/** One that is damaged, of a full disk perhaps, must not hide the others in a list. */
export function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedDocument)) throw error;
}
