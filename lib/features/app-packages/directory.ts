import { requireIfMatch } from '../../http/conditional.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { Blob } from '../../interfaces/storage.js';
import { Conflict, DamagedDocument } from '../../model/errors.js';
import { keyedMutex } from '../../runtime/keyed-mutex.js';
import { semaphore } from '../../runtime/semaphore.js';
import type { ArchiveLimits } from './archive/limits.js';
import type { ArchivePart } from './archive/part.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { writeArchive } from './archive/writer.js';
import { createPackageLookup, type PackageLookup } from './lookup.js';
import { type FoundPackage, type OpenPackage, openPackage, packageLabel } from './open-package.js';
import type { PackageRef } from './schema.js';
import type { PackageStore } from './store.js';
import type { PackageContents, StoredPackage } from './stored.js';

/** What else uses packages: somebody's package, looked at or changed. All reject with `NotFound` for hidden ones too. */
export interface AppPackages extends Pick<PackageLookup, 'find' | 'findToChange'> {
  /** What was read out of it before: opens no archive. */
  describing(call: Call, ref: PackageRef): Promise<FoundPackage & { readonly contents: PackageContents }>;
  /** Only its bytes, which come also when nothing else can be read of it. Otherwise as `reading`. */
  readingBytes<T>(
    call: Call,
    ref: PackageRef,
    use: (blob: Blob, stored: StoredPackage) => Promise<T>,
  ): Promise<T>;
  /** The package is open until `use` settles; streams that it started go on to their end. */
  reading<T>(call: Call, ref: PackageRef, use: (pkg: OpenPackage) => Promise<T>): Promise<T>;
  /**
   * Replaces the package by one of the parts that `edit` gives, all or nothing. Rejects as `findToChange` does, and with
   * `PreconditionFailed` when the caller's `If-Match` does not hold. `edit` is called again when somebody else was faster.
   */
  changing(
    call: ConditionalCall,
    ref: PackageRef,
    edit: (pkg: OpenPackage) => Promise<readonly ArchivePart[]>,
  ): Promise<StoredPackage>;
}

export interface PackageDirectory extends AppPackages, PackageLookup {
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

export function createPackageDirectory(deps: {
  store: PackageStore;
  shelf: ArchiveShelf;
  limits: Partial<ArchiveLimits>;
  changesAtOnce: number;
}): PackageDirectory {
  const { store } = deps;
  const lookup = createPackageLookup(store);
  const inTurn = keyedMutex();
  const limited = semaphore(deps.changesAtOnce, 'changes of packages');

  async function findToMatch(call: ConditionalCall, ref: PackageRef): Promise<FoundPackage> {
    const found = await lookup.findToChange(call, ref);
    requireIfMatch(call.ifMatch, found.kept.value.digest, `The package ${packageLabel(ref)}`);
    return found;
  }

  const retrying = <T>(ref: PackageRef, attempt: () => Promise<T | undefined>): Promise<T> =>
    inTurn(packageLabel(ref), async () => {
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
    edit: (pkg: OpenPackage) => Promise<readonly ArchivePart[]>,
  ): Promise<StoredPackage | undefined> {
    call.signal.throwIfAborted();
    const found = await findToMatch(call, ref);
    const pkg = await openPackage(deps, found, call.signal);
    if (!pkg) return undefined;
    const { signal } = call;
    try {
      const content = writeArchive(await edit(pkg), { limits: deps.limits, signal });
      const like = { id: pkg.stored.id, contents: pkg.contents, archive: await pkg.own() };
      return await store.staging(content, { signal, like }, (staged) =>
        store.publish(ref, staged, found.kept),
      );
    } finally {
      await pkg.close();
    }
  }

  return {
    ...lookup,
    retrying,

    describing: (call, ref) =>
      ofPresent(
        () => lookup.find(call, ref),
        async (found) => {
          const contents = await store.contents(found.kept.value);
          return contents && { ...found, contents };
        },
      ),

    async readingBytes(call, ref, use) {
      const { blob, stored } = await ofPresent(
        () => lookup.find(call, ref),
        async ({ kept: { value: stored } }) => {
          const blob = await store.open(stored);
          return blob && { blob, stored };
        },
      );
      try {
        return await use(blob, stored);
      } finally {
        await blob.close();
      }
    },

    async reading(call, ref, use) {
      const pkg = await ofPresent(
        () => lookup.find(call, ref),
        (found) => openPackage(deps, found, call.signal),
      );
      try {
        return await use(pkg);
      } finally {
        await pkg.close();
      }
    },

    changing: (call, ref, edit) => limited(() => retrying(ref, () => changedOnce(call, ref, edit))),

    async remove(call, ref) {
      await retrying(ref, async () => store.remove((await findToMatch(call, ref)).kept));
    },
  };
}

/** What `use` gives of the package as it is; looks again when it was replaced in between. */
async function ofPresent<T>(
  look: () => Promise<FoundPackage>,
  use: (found: FoundPackage) => Promise<T | undefined>,
): Promise<T> {
  for (let last: string | undefined; ; ) {
    const found = await look();
    const result = await use(found);
    if (result !== undefined) return result;
    const { value } = found.kept;
    if (value.id === last) throw new DamagedDocument(`The archive of the package ${packageLabel(value)}`);
    last = value.id;
  }
}
