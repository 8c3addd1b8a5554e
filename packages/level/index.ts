import { NotReady, type OptionChecks, option, readOptions, type Storage } from 'headgate/driver-kit';
import { filesystemBlobs } from './blobs.js';
import { createCommits } from './commits.js';
import { openDatabase } from './database.js';
import { makeDirectories } from './directories.js';
import { filesystemDocuments } from './documents.js';
import { holderNote } from './holder.js';
import { keyFile } from './key.js';
import { createProblems } from './problems.js';
import { sweep } from './sweep.js';

export interface FilesystemStorageOptions {
  /** Made when it is missing, for its owner only. One gateway at a time. On a local disk: LevelDB locks no network drive. */
  readonly directory: string;
  /** Bytes of JSON; a larger document rejects with `TooLarge`. Default 4 MiB. */
  readonly maxDocumentBytes?: number;
  /** Bytes of documents that may wait for the disk; more rejects with `NotReady`. Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** Bytes of documents kept in memory for reading. Default 8 MiB. */
  readonly cacheBytes?: number;
  /**
   * Keeps what can be read of documents that can't be opened; writes may be lost, and deleted documents may be back.
   * Copy the directory first. Default false: opening rejects with `StorageFailed`.
   */
  readonly repair?: boolean;
}

const filesystemStorageOptions: OptionChecks<FilesystemStorageOptions> = {
  directory: option.needed(option.path, 'where it keeps documents and blobs'),
  maxDocumentBytes: option.atLeast(1),
  maxPendingBytes: option.atLeast(1),
  cacheBytes: option.atLeast(1),
  repair: option.flag,
};

/**
 * Keeps everything in one directory: documents in LevelDB, blobs as files. An acknowledged write survives a crash of
 * the process and of the machine.
 *
 * Rejects with `StorageInUse`, naming the process, while another one holds the directory, and with `StorageFailed`
 * when what is there can't be opened; with a `TypeError` for an option that can't be used.
 */
export async function filesystemStorage(given: FilesystemStorageOptions): Promise<Storage> {
  const options = readOptions('filesystemStorage', given, filesystemStorageOptions);
  const { maxDocumentBytes = 4 * 1024 * 1024, maxPendingBytes = 64 * 1024 * 1024 } = options;
  const { cacheBytes = 8 * 1024 * 1024, repair = false } = options;
  const directories = await makeDirectories(options.directory);
  const problems = createProblems();
  const holder = holderNote(directories.root);
  await holder.requireNotOurs();
  const { database, incomplete } = await openDatabase({
    directories,
    problems,
    cacheBytes,
    repair,
    inUse: holder.inUse,
  });

  try {
    await holder.write();
    await sweep(database, directories, problems, incomplete);
  } catch (error) {
    await holder.remove();
    await database.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  const requireOpen = () => {
    if (closed) throw new NotReady('The storage is closed');
  };
  const commits = createCommits(database, maxPendingBytes);
  const shared = { database, commits, problems, requireOpen };
  const blobs = filesystemBlobs({ directories, ...shared });

  async function close(): Promise<void> {
    await blobs.close();
    await commits.settled();
    await holder.remove();
    await database.close();
  }

  return {
    documents: filesystemDocuments({ maxDocumentBytes, ...shared }),
    blobs: blobs.store,
    secretKey: keyFile(directories.root),
    problems: problems.list,
    close() {
      closed ??= close();
      return closed;
    },
  };
}
