import { requireIfMatch } from '../../http/conditional.js';
import type { ConditionalCall } from '../../http/route.js';
import { Conflict } from '../../model/errors.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { semaphore } from '../../runtime/semaphore.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchivePart } from './archive/part.js';
import type { ArchiveShelf } from './archive/shelf.js';
import type { PackageLookup } from './lookup.js';
import { type FoundPackage, type OpenPackage, openPackage, packageLabel } from './open-package.js';
import { publishParts } from './publish-parts.js';
import type { PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { StoredPackage } from './stored.js';

type Edit = (pkg: OpenPackage) => Promise<readonly ArchivePart[]>;

/** Changes of packages, those of one package in turn. */
export interface PackageChanges {
  /**
   * Replaces the package by one of the parts that `edit` gives, all or nothing. Rejects as `findToChange` does, and with
   * `PreconditionFailed` when the caller's `If-Match` does not hold. `edit` is called again when somebody else was faster.
   */
  changing(call: ConditionalCall, ref: PackageRef, edit: Edit): Promise<StoredPackage>;
  /** With the caller's `If-Match` obeyed. */
  remove(call: ConditionalCall, ref: PackageRef): Promise<void>;
  /**
   * What `attempt` gives; again while it gives `undefined`, because somebody else was faster. Attempts at one package
   * wait for each other.
   */
  retrying<T>(ref: PackageRef, attempt: () => Promise<T | undefined>): Promise<T>;
}

/** How often a change starts again when others are faster. */
const maxAttempts = 20;

export function createPackageChanges(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  lookup: PackageLookup;
  limits: Partial<ArchiveLimits>;
  changesAtOnce: number;
}): PackageChanges {
  const { store, lookup } = deps;
  const mutex = keyedMutex();
  const limited = semaphore(deps.changesAtOnce, 'changes of packages');

  async function findToMatch(call: ConditionalCall, ref: PackageRef): Promise<FoundPackage> {
    const found = await lookup.findToChange(call, ref);
    requireIfMatch(call.ifMatch, found.kept.value.digest, `The package ${packageLabel(ref)}`);
    return found;
  }

  const retrying = <T>(ref: PackageRef, attempt: () => Promise<T | undefined>): Promise<T> =>
    mutex(packageLabel(ref), async () => {
      for (let attempts = 1; attempts <= maxAttempts; attempts++) {
        const result = await attempt();
        if (result !== undefined) return result;
      }
      throw new Conflict(
        'CHANGED_MEANWHILE',
        `Others change the package ${packageLabel(ref)} all the time; try again`,
      );
    });

  async function changedOnce(
    call: ConditionalCall,
    ref: PackageRef,
    edit: Edit,
  ): Promise<StoredPackage | undefined> {
    const { signal } = call;
    signal.throwIfAborted();
    const found = await findToMatch(call, ref);
    const pkg = await openPackage(deps, found, signal);
    if (!pkg) return undefined;
    try {
      const parts = await edit(pkg);
      const like = { id: pkg.stored.id, contents: pkg.contents, archive: await pkg.own() };
      return await publishParts(deps, { ref, existing: found.kept }, parts, { signal, like });
    } finally {
      await pkg.close();
    }
  }

  return {
    retrying,
    changing: (call, ref, edit) => limited(() => retrying(ref, () => changedOnce(call, ref, edit))),
    async remove(call, ref) {
      await retrying(ref, async () => store.remove((await findToMatch(call, ref)).kept));
    },
  };
}
