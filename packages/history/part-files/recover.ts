import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, writeWhole } from 'headgate/driver-kit';
import { createTally, type PartFormat } from './format.js';
import { formatIndex, openPartOf, type PartEntry, parseIndex, partName, partNumber } from './index-line.js';
import { linesOf } from './lines.js';
import { localPartFiles } from './source.js';

export interface ClosedPart extends PartEntry {
  readonly bytes: number;
}

/**
 * Brings a collection in order after whatever happened to its last writer: parts that are not in the index are indexed
 * by their whole lines, those without any are removed, so are those that retention dropped from the index and could
 * not delete. Resolves the closed parts, oldest first; the next part follows the last of them.
 */
export async function recover(directory: string, format: PartFormat): Promise<ClosedPart[]> {
  const text = (await readIfThere(join(directory, 'index.txt'))) ?? '';
  const indexed = new Map(parseIndex(text).parts.map((entry) => [entry.number, entry]));
  const oldest = Math.min(...indexed.keys(), openPartOf({ parts: [...indexed.values()], ended: false }));
  const numbers = (await readdir(directory)).map(partNumber).filter((number) => number !== undefined);
  const closed: ClosedPart[] = [];
  for (const number of numbers.sort((one, other) => one - other)) {
    const path = join(directory, partName(number));
    const entry =
      indexed.get(number) ?? (number < oldest ? undefined : await scan(directory, number, format));
    if (entry) closed.push({ ...entry, bytes: (await stat(path)).size });
    else await rm(path);
  }
  const index = formatIndex({ parts: closed, ended: false });
  if (index !== text) await writeWhole(join(directory, 'index.txt'), index);
  return closed;
}

async function scan(directory: string, number: number, format: PartFormat): Promise<PartEntry | undefined> {
  const tally = createTally(number, format);
  for await (const line of linesOf(localPartFiles(directory).stream(partName(number)))) {
    const time = format.timeOf(line);
    if (time !== undefined) tally.add(time, line);
  }
  return tally.entry();
}
