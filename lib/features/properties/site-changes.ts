import { NotReady, StorageFailed } from '../../model/errors.js';
import { putBack, type Rewrite, rewriteOf } from './site-file.js';
import type { SiteEdits, SiteJournal } from './site-journal.js';
import type { SitePlace } from './site-place.js';

/** Changes of the two files that are written here: all or none, also over a crash. */
interface SiteChanges {
  /**
   * Rejects with `StorageFailed` when the change is not made. Resolves a failure that who makes it must hear of although
   * it is made.
   */
  apply(edits: SiteEdits): Promise<StorageFailed | undefined>;
  /** Ends what a crash has interrupted. */
  complete(): Promise<void>;
}

export function createSiteChanges(
  places: Readonly<Record<keyof SiteEdits, SitePlace>>,
  journal: SiteJournal,
): SiteChanges {
  async function begin(edits: SiteEdits): Promise<void> {
    try {
      await journal.begin(edits);
    } catch (error) {
      if (error instanceof NotReady) throw error;
      // It may be there all the same.
      throw (await done(journal.remove())) ? unchanged(error) : new StorageFailed(mayBeMadeLater, error);
    }
  }

  async function applyBoth(
    edits: SiteEdits,
    rewrites: readonly Rewrite[],
  ): Promise<StorageFailed | undefined> {
    await begin(edits);
    try {
      for (const { place, next } of rewrites) await place.write(next);
    } catch (error) {
      // The journal goes last: until then a crash completes the change.
      const isBack = (await putBack(rewrites)) && (await done(journal.remove()));
      throw isBack ? unchanged(error) : new StorageFailed(isCompletedLater, error);
    }
    return journal.remove().then(
      () => undefined,
      (cause: unknown) => {
        const made = `The change is made, but ${journal.label} can not be removed: remove it before you edit`;
        return new StorageFailed(`${made} these files, or it is made again over what you write`, cause);
      },
    );
  }

  return {
    async apply(edits) {
      const global = await rewriteOf(places.GLOBAL, edits.GLOBAL);
      const local = await rewriteOf(places.LOCAL, edits.LOCAL);
      if (global && local) return applyBoth(edits, [global, local]);
      const single = global ?? local;
      if (single) await applyOne(single);
      return undefined;
    },

    /** Changes are by name: made twice they do no harm, and what a person wrote since is lost under the same names only. */
    async complete() {
      const edits = await journal.pending();
      if (!edits) return;
      for (const scope of ['GLOBAL', 'LOCAL'] as const) {
        const rewrite = await rewriteOf(places[scope], edits[scope]);
        if (rewrite) await rewrite.place.write(rewrite.next).catch(stillPending);
      }
      await journal.remove().catch(stillPending);
    },
  };
}

/** One file is written whole or not at all: it needs no journal. */
async function applyOne(rewrite: Rewrite): Promise<void> {
  const { place, next } = rewrite;
  try {
    await place.write(next);
  } catch (error) {
    if (error instanceof NotReady) throw error;
    if (await putBack([rewrite])) throw unchanged(error);
    throw new StorageFailed(`${place.label} can not be written: look whether it was changed`, error);
  }
}

const done = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

const unchanged = (cause: unknown): StorageFailed =>
  new StorageFailed('A site file can not be written; nothing was changed', cause);
const mayBeMadeLater =
  'A site file can not be written: nothing was changed, but the change may be made at the next one, or at the next start';
const isCompletedLater =
  'A site file can not be written: the change is made in part, and is completed at the next one, or at the next start';

function stillPending(cause: unknown): never {
  throw new StorageFailed(
    'A change of the properties was interrupted, and can not be completed: a site file can not be written',
    cause,
  );
}
