/** What a package may be. Everything is counted while it is read; what headers claim is only believed to refuse early. */
export interface ArchiveLimits {
  /** Bytes of the whole file. Default 2 GiB. */
  readonly maxBytes: number;
  /** Default 100,000; directories count. With the directories that no entry stands for there may be twice as many. */
  readonly maxEntries: number;
  /** Bytes of all entries together, inflated. Default 8 GiB. */
  readonly maxInflatedBytes: number;
  /** Inflated bytes for each compressed one, of one entry. Default 200. */
  readonly maxRatio: number;
  /** Entries that inflate to no more bytes than this may have any ratio. Default 1 MiB. */
  readonly ratioFreeBytes: number;
  /** Bytes of UTF-8. Default 512. */
  readonly maxNameBytes: number;
  /** Segments of a name. Default 32. */
  readonly maxDepth: number;
  /** Bytes of the central directory, which a reader keeps in memory. Default 64 MiB. */
  readonly maxDirectoryBytes: number;
}

const mebi = 1024 ** 2;

export const defaultArchiveLimits: ArchiveLimits = {
  maxBytes: 2048 * mebi,
  maxEntries: 100_000,
  maxInflatedBytes: 8192 * mebi,
  maxRatio: 200,
  ratioFreeBytes: mebi,
  maxNameBytes: 512,
  maxDepth: 32,
  maxDirectoryBytes: 64 * mebi,
};
