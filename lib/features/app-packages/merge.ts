import { timeSlice } from '../../runtime/event-loop.js';
import type { ArchivePart } from './archive/part.js';
import type { CopyableArchive, CopyableEntry } from './archive/reader.js';

// Which entry comes from where when packages become one. Nothing is read or written here.

/** Upload: `ours` keeps the file of the new package where both have one, `theirs` that of the existing package. */
export const mergedUpload = (
  existing: CopyableArchive,
  uploaded: CopyableArchive,
  mode: 'ours' | 'theirs',
): Promise<ArchivePart[]> =>
  mode === 'ours'
    ? parts([existing, ({ name }) => !uploaded.entry(name)], [uploaded, all])
    : parts([existing, all], [uploaded, ({ name }) => !existing.entry(name)]);

/**
 * The merge endpoint: configurations, JSON applications and resources of `source` come into `target`, without
 * overwriting. With `replaceExisting` everything that `source` has in `app`, `conf` and `resources` replaces what is there.
 */
export function mergedInto(
  target: CopyableArchive,
  source: CopyableArchive,
  replaceExisting: boolean,
): Promise<ArchivePart[]> {
  const offered = replaceExisting ? /^(app|conf|resources)\/./ : /^((conf|resources)\/.|app\/[^/]+\.json$)/;
  const comes = ({ name }: CopyableEntry) => offered.test(name) && (replaceExisting || !target.entry(name));
  const stays = (entry: CopyableEntry) => !source.entry(entry.name) || !comes(entry);
  return parts([target, stays], [source, comes]);
}

/** A file put into a package, or taken out of it. */
interface PackageEdit {
  readonly name: string;
  /** Absent: it is taken out. */
  readonly content?: Buffer;
  readonly modified: Date;
}

export async function edited(
  archive: CopyableArchive,
  { name, content, modified }: PackageEdit,
): Promise<ArchivePart[]> {
  const others = await parts([archive, (entry) => entry.name !== name]);
  return content === undefined ? others : [...others, { name, content, modified }];
}

const all = () => true;

/** Archives with what is wanted of them, in this order; in slices, for they may have 100,000 entries. */
async function parts(
  ...sources: readonly (readonly [from: CopyableArchive, wanted: (entry: CopyableEntry) => boolean])[]
): Promise<ArchivePart[]> {
  const slice = timeSlice();
  const found: ArchivePart[] = [];
  for (const [from, wanted] of sources) {
    for (const entry of from.entries) {
      if (wanted(entry)) found.push({ from, entry });
      if (slice.isOver()) await slice.next();
    }
  }
  return found;
}
