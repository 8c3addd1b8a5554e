import { addAbortSignal, Readable } from 'node:stream';
import { TooLarge } from '../../../model/errors.js';
import { owned } from '../../../runtime/owned.js';
import { type ArchiveSummary, type CheckOptions, checkArchive } from './check.js';
import { checkThread } from './check-thread.js';
import { defaultArchiveLimits } from './limits.js';
import type { RemoteCheck } from './remote-check.js';

interface Arriving {
  /**
   * The same bytes. It ends only when all of them are found good and fails with the fault otherwise, so what consumes
   * it to its end, such as `BlobStore.write`, keeps no bad archive.
   */
  readonly content: Readable;
  /** Of what has passed; `undefined` until `content` has ended. */
  summary(): ArchiveSummary | undefined;
  /** Of what has passed, once `content` has ended: where the check runs in its thread, so does this. */
  digest(): string;
}

interface ArrivingArchives {
  /**
   * Checks an archive on its way to where it is kept: writing, digesting and inflating go on at once, and the first bad
   * entry stops the upload. `source` is destroyed when the signal aborts, and left to its owner when the archive is bad:
   * a request can still be answered.
   */
  checkedWhileArriving(source: Readable, options?: ArrivingOptions): Arriving;
}

interface ArrivingOptions extends CheckOptions {
  /** What the source is said to have, where somebody says so: the check of a large one begins with its first bytes. */
  readonly declaredBytes?: number | undefined;
}

/** An archive of no more bytes is checked on the spot when it is there: the thread would take longer to start. */
const smallBytes = 1024 ** 2;

/** What is read ahead of who consumes it; of more than one chunk a stream makes one buffer again. */
const oneChunk = 1;

export function arrivingArchives(): ArrivingArchives {
  const thread = checkThread();

  async function* passed(
    source: Readable,
    options: ArrivingOptions,
    done: (summary: ArchiveSummary) => void,
  ) {
    const { limits = {}, declaredBytes = 0 } = options;
    const { maxBytes } = { ...defaultArchiveLimits, ...limits };
    const waiting: Buffer[] = [];
    let bytes = 0;
    let checking: RemoteCheck | undefined;
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new TooLarge('The package', maxBytes);
        waiting.push(chunk);
        if (Math.max(bytes, declaredBytes) > smallBytes) {
          checking ??= await thread.check(limits);
          for (const given of waiting.splice(0)) await checking.give(given);
        }
        yield chunk;
      }
      done(await (checking ? checking.end() : checkArchive(waiting, options)));
    } finally {
      checking?.close();
      source.off('error', ignore);
    }
  }

  return {
    checkedWhileArriving(source, options = {}) {
      let summary: ArchiveSummary | undefined;
      // At once: until it is read the source may fail, and somebody must listen.
      source.on('error', ignore);
      if (options.signal) addAbortSignal(options.signal, source);
      const content = owned(
        Readable.from(
          passed(source, options, (found) => {
            summary = found;
          }),
          { objectMode: false, highWaterMark: oneChunk },
        ),
      );
      return {
        content,
        summary: () => summary,
        digest() {
          if (!summary) throw new TypeError('The archive has not come in whole');
          return summary.digest;
        },
      };
    },
  };
}

const ignore = () => {};
