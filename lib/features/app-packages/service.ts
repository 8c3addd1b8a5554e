import type { Tagged } from '../../http/conditional.js';
import type { SentUpload } from '../../http/form-file.js';
import { downloadOf } from '../../http/range-request.js';
import type { File } from '../../http/reply.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { CallerRequest } from '../../interfaces/auth.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { Storage } from '../../interfaces/storage.js';
import type { OwnDefaults } from '../../model/acl.js';
import { BadRequest } from '../../model/errors.js';
import type { LicenseService } from '../licenses/service.js';
import type { PropertyService } from '../properties/service.js';
import { createPackageApplications, noneWhenBusy, type PackageApplications } from './applications.js';
import { defaultArchiveLimits } from './archive/limits.js';
import type { ArchiveShelf } from './archive/shelf.js';
import { createPackageConfigs, type PackageConfigs } from './configs.js';
import { type AppPackages, createPackageDirectory } from './directory.js';
import { createPackageImports, type PackageImports } from './imports.js';
import { createPackageLaunchables, type PackageLaunchables } from './launchable.js';
import { createPackageListing, type PackageListing } from './listing.js';
import { mergedInto } from './merge.js';
import { metaOf } from './meta.js';
import { type OpenPackage, packageLabel } from './open-package.js';
import { createPackageClasses, createPackageOperators, type PackageOperatorService } from './operators.js';
import type { PackageOptions } from './options.js';
import type { PackageClasses as DefinedClasses } from './package-check.js';
import { createPackagePermissions, type PackagePermissions } from './permissions.js';
import type { MergeMode, MergeRequest, PackageMeta, PackageRef } from './schema.js';
import { createPackageStore } from './store.js';
import { unreadJars } from './unread-jars.js';
import { createUploads } from './upload.js';

export type { PackageArchives, PackagedFiles } from './archives.js';
export type { AppPackages } from './directory.js';
export type { LaunchableApplication } from './launchable.js';
export type { FoundPackage, OpenPackage } from './open-package.js';

export interface PackageService
  extends AppPackages,
    PackagePermissions,
    PackageConfigs,
    PackageApplications,
    PackageLaunchables,
    PackageListing,
    PackageImports,
    PackageOperatorService {
  /** `declaredBytes`: those of the file, where the client says so before. */
  upload(
    call: ConditionalCall,
    file: SentUpload,
    merge: MergeMode,
    declaredBytes?: number,
  ): Promise<Tagged<PackageMeta>>;
  get(call: Call, ref: PackageRef, options: { includeDescription: boolean }): Promise<Tagged<PackageMeta>>;
  remove(call: ConditionalCall, ref: PackageRef): Promise<void>;
  /** The archive, or the part of it that the caller's `Range` asks for. It comes whole, whatever happens to the package. */
  download(call: Call, ref: PackageRef, caller: Pick<CallerRequest, 'headers'>): Promise<File>;
  /** Resolves the digest of the package that `target` is then. */
  merge(call: ConditionalCall, target: PackageRef, request: MergeRequest): Promise<string>;
}

export async function createPackageService(
  deps: PackageOptions & {
    storage: Storage;
    shelf: ArchiveShelf;
    clock: Clock;
    logger: Logger;
    ownDefaults: OwnDefaults;
    cluster: ClusterDriver;
    licenses: Pick<LicenseService, 'headroom'>;
    properties: Pick<PropertyService, 'value'>;
    /** For a driver that checks a definition, milliseconds. */
    checkMillis: number;
  },
): Promise<PackageService> {
  const { uploadsAtOnce = 8, changesAtOnce = 16 } = deps;
  const limits = { ...defaultArchiveLimits, ...deps.limits };
  const { jars = unreadJars } = deps;
  const { classes: applicationClasses = 'streaming' } = deps.cluster.resourceManager.launcher ?? {};
  const store = createPackageStore({ ...deps, jars, classes: applicationClasses });
  const directory = createPackageDirectory({ ...deps, store, limits, changesAtOnce });
  const uploads = createUploads({ ...deps, store, directory, limits, uploadsAtOnce, applicationClasses });
  const classes = createPackageClasses({ store, jars, cluster: deps.cluster });
  const classesOf = async (pkg: OpenPackage): Promise<DefinedClasses> => {
    const { classes: found, problems } = await classes.jars(pkg);
    return { classes: found, isWhole: found.length > 0 && problems.length === 0 };
  };
  const applications = createPackageApplications({ ...deps, packages: directory, classesOf });
  await store.sweep();

  async function get(call: Call, ref: PackageRef, includeDescription: boolean) {
    const found = await directory.describing(call, ref);
    const faults = await applications.faults(call, found);
    return { value: metaOf(found, includeDescription, faults), digest: found.kept.value.digest };
  }

  return {
    ...directory,
    ...createPackageListing({ ...deps, store, directory }),
    ...createPackageImports({ ...deps, uploads }),
    ...createPackagePermissions({ directory, store }),
    ...createPackageConfigs({ packages: directory, clock: deps.clock }),
    ...createPackageOperators({ packages: directory, classes }),
    ...applications,
    ...createPackageLaunchables({ packages: directory, classesOf }),

    async upload(call, { content, name: fileName }, merge, declaredBytes = 0) {
      const arrival = { merge, ifMatch: call.ifMatch, declaredBytes, fileName };
      const { owner, name, version } = await uploads.take(call, content, arrival);
      const found = await directory.describing(call, { owner, name, version });
      // It is there, whether its applications can be looked at now or not.
      const faults = await applications.faults(call, found).catch(noneWhenBusy);
      return { value: metaOf(found, false, faults), digest: found.kept.value.digest };
    },

    get: (call, ref, { includeDescription }) => get(call, ref, includeDescription),

    download: (call, ref, caller) =>
      directory.readingBytes(call, ref, async (blob, { size, digest: etag }) =>
        downloadOf(caller, blob, { name: `${ref.name}-${ref.version}.apa`, size, etag }),
      ),

    async merge(call, target, { user = target.owner, name = target.name, version, replaceExisting }) {
      const source = { owner: user, name, version };
      if (packageLabel(source) === packageLabel(target)) {
        throw new BadRequest(
          'MERGE_INTO_ITSELF',
          'A package can not be merged into itself: name another version in the body',
        );
      }
      await directory.findToChange(call, target);
      const { digest } = await directory.reading(call, source, (from) =>
        directory.changing(call, target, async (into) =>
          mergedInto(await into.toCopy(), await from.toCopy(), replaceExisting),
        ),
      );
      return digest;
    },
  };
}
