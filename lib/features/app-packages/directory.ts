import { type Access, defaultPermissions, type Permissions } from '../../core/acl.js';
import { atOnce } from '../../core/at-once.js';
import type { Kept } from '../../core/collection.js';
import { requireIfMatch } from '../../core/conditional.js';
import { Conflict, DamagedDocument, Forbidden, NotFound } from '../../core/errors.js';
import { oneByOne } from '../../core/one-by-one.js';
import type { Call, Input } from '../../core/route.js';
import type { Blob } from '../../interfaces/storage.js';
import { accessTo } from './access.js';
import type { ArchiveLimits } from './archive/limits.js';
import { type Archive, openArchive } from './archive/reader.js';
import { type ArchivePart, writeArchive } from './archive/writer.js';
import type { PackageName, PackageRef } from './schema.js';
import { nameKey, type PackageStore } from './store.js';
import type { PackageContents, StoredPackage } from './stored.js';

/** A package that somebody may see. */
export interface FoundPackage {
  readonly kept: Kept<StoredPackage>;
  readonly access: Exclude<Access, 'none'>;
}

/** One state of a package. It stays what it is while it is used, whatever happens to the package meanwhile. */
export interface OpenPackage {
  readonly stored: StoredPackage;
  readonly access: Exclude<Access, 'none'>;
  readonly contents: PackageContents;
  readonly blob: Blob;
  /** Read when it is first asked for. */
  archive(): Promise<Archive>;
  /** A whole file of it. Rejects with `NotFound`, and with `TooLarge` when it has more than `maxBytes`. */
  read(file: string, maxBytes: number): Promise<Buffer>;
}

/** A call that may carry `If-Match`. */
export type ChangeCall = Call & Pick<Input<unknown, unknown, unknown>, 'caller'>;

/** What else uses packages: somebody's package, looked at or changed. All reject with `NotFound` for hidden ones too. */
export interface AppPackages {
  find(call: Call, ref: PackageRef): Promise<FoundPackage>;
  /** Rejects with `Forbidden` for who may only read. */
  findToChange(call: Call, ref: PackageRef): Promise<FoundPackage>;
  /** What was read out of it before: opens no archive. */
  describing(call: Call, ref: PackageRef): Promise<FoundPackage & { readonly contents: PackageContents }>;
  /** The package is open until `use` settles; streams that it started go on to their end. */
  reading<T>(call: Call, ref: PackageRef, use: (pkg: OpenPackage) => Promise<T>): Promise<T>;
  /**
   * Replaces the package by one of the parts that `edit` gives, all or nothing. Rejects as `findToChange` does, and with `PreconditionFailed` when the caller's `If-Match` does not hold. `edit` is called again when somebody
   * else was faster.
   */
  changing(
    call: ChangeCall,
    ref: PackageRef,
    edit: (pkg: OpenPackage) => Promise<readonly ArchivePart[]>,
  ): Promise<StoredPackage>;
}

/** All versions of a name. */
export interface FoundName {
  readonly versions: readonly string[];
  readonly permissions: Permissions;
  readonly access: Exclude<Access, 'none'>;
}

export interface PackageDirectory extends AppPackages {
  /** Rejects with `NotFound` when the caller may see no version: permissions belong to the name. */
  findName(call: Call, name: PackageName): Promise<FoundName>;
  /** With the caller's `If-Match` obeyed. */
  remove(call: ChangeCall, ref: PackageRef): Promise<void>;
  /** All that the caller may see. */
  visible(call: Call): Promise<FoundPackage[]>;
  /**
   * What `attempt` gives; again while it gives `undefined`, because somebody else was faster. Attempts at one package
   * wait for each other.
   */
  retrying<T>(ref: PackageRef, attempt: () => Promise<T | undefined>): Promise<T>;
}

/** How often a change starts again when others are faster. */
const maxAttempts = 20;

export const packageLabel = ({ owner, name, version }: PackageRef): string => `${owner}/${name}/${version}`;

export function createPackageDirectory(deps: {
  store: PackageStore;
  limits: Partial<ArchiveLimits>;
  changesAtOnce: number;
}): PackageDirectory {
  const { store } = deps;
  const inOrder = oneByOne();
  const limited = atOnce(deps.changesAtOnce, 'changes of packages');

  async function find(call: Call, ref: PackageRef): Promise<FoundPackage> {
    const kept = await store.find(ref);
    const access = accessTo(call.user, ref.owner, kept && (await store.permissions(ref)));
    if (!kept || access === 'none') throw new NotFound('package', packageLabel(ref));
    return { kept, access };
  }

  async function findToChange(call: Call, ref: PackageRef): Promise<FoundPackage> {
    const found = await find(call, ref);
    if (found.access === 'write') return found;
    throw new Forbidden(`The package ${JSON.stringify(packageLabel(ref))} is not yours to change`);
  }

  async function findToMatch(call: ChangeCall, ref: PackageRef): Promise<FoundPackage> {
    const found = await findToChange(call, ref);
    const { 'if-match': ifMatch } = call.caller.headers;
    requireIfMatch(ifMatch, found.kept.value.digest, `The package ${packageLabel(ref)}`);
    return found;
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

  async function open({ kept, access }: FoundPackage): Promise<OpenPackage | undefined> {
    const contents = await store.contents(kept.value);
    const blob = contents && (await store.open(kept.value));
    if (!blob) return undefined;
    let opening: Promise<Archive> | undefined;
    const archive = () => {
      opening ??= openArchive(blob);
      return opening;
    };
    return {
      stored: kept.value,
      access,
      contents,
      blob,
      archive,
      async read(file, maxBytes) {
        const found = await archive();
        const entry = found.entry(file);
        if (!entry) throw new NotFound(`file in ${packageLabel(kept.value)}`, file);
        return found.read(entry, maxBytes);
      },
    };
  }

  const retrying = <T>(ref: PackageRef, attempt: () => Promise<T | undefined>): Promise<T> =>
    inOrder(packageLabel(ref), async () => {
      for (let attempts = 1; attempts <= maxAttempts; attempts++) {
        const result = await attempt();
        if (result !== undefined) return result;
      }
      throw new Conflict(`Others change the package ${packageLabel(ref)} all the time; try again`);
    });

  async function changedOnce(
    call: ChangeCall,
    ref: PackageRef,
    edit: (pkg: OpenPackage) => Promise<readonly ArchivePart[]>,
  ): Promise<StoredPackage | undefined> {
    call.signal.throwIfAborted();
    const found = await findToMatch(call, ref);
    const pkg = await open(found);
    if (!pkg) return undefined;
    const { signal } = call;
    try {
      const content = writeArchive(await edit(pkg), { limits: deps.limits, signal });
      return await store.staging(content, { signal }, (staged) => store.publish(ref, staged, found.kept));
    } finally {
      await pkg.blob.close();
    }
  }

  return {
    find,
    findToChange,
    retrying,

    describing: (call, ref) =>
      ofPresent(
        () => find(call, ref),
        async (found) => {
          const contents = await store.contents(found.kept.value);
          return contents && { ...found, contents };
        },
      ),

    async reading(call, ref, use) {
      const pkg = await ofPresent(() => find(call, ref), open);
      try {
        return await use(pkg);
      } finally {
        await pkg.blob.close();
      }
    },

    changing: (call, ref, edit) => limited(() => retrying(ref, () => changedOnce(call, ref, edit))),

    async findName(call, name) {
      const versions = await store.versions(name);
      const permissions = await store.permissions(name);
      const access = accessTo(call.user, name.owner, permissions);
      if (versions.length === 0 || access === 'none') {
        throw new NotFound('package', `${name.owner}/${name.name}`);
      }
      return {
        versions: versions.map(({ value }) => value.version),
        permissions: permissions ?? defaultPermissions,
        access,
      };
    },

    async remove(call, ref) {
      await retrying(ref, async () => store.remove((await findToMatch(call, ref)).kept));
    },

    async visible(call) {
      const permissions = await store.allPermissions();
      const found: FoundPackage[] = [];
      for await (const kept of store.list()) {
        const access = accessTo(call.user, kept.value.owner, permissions.get(nameKey(kept.value)));
        if (access !== 'none') found.push({ kept, access });
      }
      return found;
    },
  };
}
