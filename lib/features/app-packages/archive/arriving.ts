import { addAbortSignal, Readable } from 'node:stream';
import { type ArchiveSummary, type CheckOptions, checkArchive } from './check.js';

/** How far passing on may be ahead of the check (bytes). */
const leadBytes = 256 * 1024;

/** What is read ahead of who consumes it; from more, a stream would make one buffer again. */
const oneChunk = 1;

export interface Arriving {
  /**
   * The same bytes. It ends only when all of them are found good and fails with the fault otherwise, so what consumes
   * it to its end, such as `BlobStore.write`, keeps no bad archive.
   */
  readonly content: Readable;
  /** Of what has passed; `undefined` until `content` has ended. */
  summary(): ArchiveSummary | undefined;
}

/**
 * Checks an archive on its way to where it is kept: writing, digesting and inflating go on at once, and the first bad
 * entry stops the upload. `source` is destroyed when the signal aborts, and left to its owner when the archive is bad: a
 * request can still be answered.
 */
export function checkedWhileArriving(source: Readable, options: CheckOptions = {}): Arriving {
  let summary: ArchiveSummary | undefined;
  // At once: until it is read the source may fail, and somebody must listen.
  source.on('error', ignore);
  if (options.signal) addAbortSignal(options.signal, source);

  async function* passed() {
    const checking = handOver();
    const checked = checkArchive(checking.taken(), options);
    checked.catch(checking.stop);
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
        await checking.give(chunk);
        yield chunk;
      }
      checking.end();
      summary = await checked;
    } finally {
      checking.stop(new Error('The archive did not arrive whole'));
      source.off('error', ignore);
      await checked.catch(ignore);
    }
  }

  const content = Readable.from(passed(), { objectMode: false, highWaterMark: oneChunk });
  return { content, summary: () => summary };
}

const ignore = () => {};

/** A queue between who gives chunks and who takes them. The giver waits while more than `leadBytes` are in it. */
function handOver() {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let state: { readonly is: 'open' | 'ended' } | { readonly is: 'stopped'; readonly error: unknown } = {
    is: 'open',
  };
  let wake = () => {};
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  function stop(error: unknown): void {
    if (state.is !== 'stopped') state = { is: 'stopped', error };
    wake();
  }

  return {
    stop,
    end(): void {
      if (state.is === 'open') state = { is: 'ended' };
      wake();
    },
    async give(chunk: Buffer): Promise<void> {
      chunks.push(chunk);
      bytes += chunk.length;
      wake();
      while (bytes > leadBytes && state.is === 'open') await changed();
      if (state.is === 'stopped') throw state.error;
    },
    async *taken(): AsyncGenerator<Buffer> {
      for (;;) {
        if (state.is === 'stopped') throw state.error;
        const chunk = chunks.shift();
        if (chunk) {
          bytes -= chunk.length;
          wake();
          yield chunk;
        } else if (state.is === 'ended') return;
        else await changed();
      }
    },
  };
}
