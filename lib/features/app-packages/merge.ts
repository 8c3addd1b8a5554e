import type { Archive, ArchiveEntry } from './archive/reader.js';
import type { ArchivePart } from './archive/writer.js';

// Which entry comes from where when packages become one (spec 4.6). Nothing is read or written here.

type Listing = Pick<Archive, 'entries' | 'entry'>;

const carried = <A extends Listing>(from: A, wanted: (entry: ArchiveEntry) => boolean = () => true) =>
  from.entries.filter(wanted).map((entry) => ({ from, entry }));

/** Upload: `ours` keeps the file of the new package where both have one, `theirs` that of the existing package. */
export function mergedUpload<A extends Listing>(existing: A, uploaded: A, mode: 'ours' | 'theirs') {
  return mode === 'ours'
    ? [...carried(existing, ({ name }) => !uploaded.entry(name)), ...carried(uploaded)]
    : [...carried(existing), ...carried(uploaded, ({ name }) => !existing.entry(name))];
}

/**
 * The merge endpoint: configurations, JSON applications and resources of `source` come into `target`, without
 * overwriting. With `replaceExisting` everything that `source` has in `app`, `conf` and `resources` replaces what is there.
 */
export function mergedInto<A extends Listing>(target: A, source: A, replaceExisting: boolean) {
  const offered = replaceExisting ? /^(app|conf|resources)\/./ : /^((conf|resources)\/.|app\/[^/]+\.json$)/;
  const isOffered = ({ name }: ArchiveEntry) => offered.test(name);
  const comes = (entry: ArchiveEntry) => isOffered(entry) && (replaceExisting || !target.entry(entry.name));
  const isReplaced = ({ name }: ArchiveEntry) => {
    const other = source.entry(name);
    return other !== undefined && comes(other);
  };
  return [...carried(target, (entry) => !isReplaced(entry)), ...carried(source, comes)];
}

/** A file put into a package, or taken out of it. */
export interface PackageEdit {
  readonly name: string;
  /** Absent: it is taken out. */
  readonly content?: Buffer;
  readonly modified: Date;
}

export function edited(archive: Archive, { name, content, modified }: PackageEdit): ArchivePart[] {
  const others = carried(archive, (entry) => entry.name !== name);
  return content === undefined ? others : [...others, { name, content, modified }];
}
